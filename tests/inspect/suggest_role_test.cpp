// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cordon/base/random.h"
#include "cordon/inspect/profile.h"
#include "cordon/inspect/words.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

// A column of these values, each of them many times.
ColumnProfile Repeated(const std::string& name, const std::vector<std::string>& values, std::size_t rows = 3000) {
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < rows; ++i) cells.push_back(values[i % values.size()]);
  return ProfileTable(TableOf({{name, cells}}), {}).columns[0];
}

// Left out, or the column that tells people apart.
bool IsHidden(Role role) { return role == Role::kIdentifier || role == Role::kPerson; }

std::vector<std::string> Made(std::size_t count, const std::function<std::string(std::size_t)>& make) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(make(i));
  return values;
}

TEST(SuggestRole, NamesInSixLanguagesHoweverOftenTheyRepeat) {
  for (const char* name : {"surname", "first_name", "LastName", "Nachname", "Vorname", "nom", "prénom", "PRENOM", "apellido",
                           "Apellidos", "nombre", "cognome", "nome", "achternaam", "voornaam", "Geburtsname"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kIdentifier) << name;
  }
  for (const char* name : {"city name", "hospital_name", "product_name", "Name der Stadt"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kQuasi) << name;
  }
}

TEST(SuggestRole, WordsPutTogetherMeanWhatTheLastOneMeans) {
  for (const char* name :
       {"emailadres", "woonadres", "Wohnadresse", "Kundenname", "klantnaam", "patientname", "posta elettronica"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kIdentifier) << name;
  }
  for (const char* name : {"iinjury", "Nebendiagnose", "Monatsgehalt", "jaarinkomen"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kSensitive) << name;
  }
  EXPECT_EQ(Repeated("Dateiname", {"aa", "bb", "cc", "dd"}).role, Role::kQuasi);
}

TEST(SuggestRole, WaysToReachPeopleAndNumbersOfOffices) {
  for (const char* name :
       {"tel",         "Telefon",   "Handynummer", "téléphone",     "teléfono",    "cellulare",      "telefoonnummer",
        "e-mail",      "courriel",  "Straße",      "rue",           "calle",       "indirizzo",      "straat",
        "Hausnummer",  "SSN",       "IBAN",        "Steuer-ID",     "DNI",         "codice fiscale", "BSN",
        "Kennzeichen", "Bemerkung", "commentaire", "observaciones", "opmerkingen", "username",       "ip_address"}) {
    EXPECT_TRUE(IsHidden(Repeated(name, {"a1", "b2", "c3", "d4"}).role)) << name;
  }
}

TEST(SuggestRole, HabitsOriginAndStandingAreSensitive) {
  for (const char* name : {"Smoker",
                           "alcohol use",
                           "Viral load",
                           "Immigration status",
                           "Medikation",
                           "Vermögen",
                           "Rente",
                           "Aufenthaltsstatus",
                           "Cause du décès",
                           "Séropositif",
                           "Titre de séjour",
                           "Afiliación política",
                           "Estado migratorio",
                           "Fede religiosa",
                           "Appartenenza sindacale",
                           "Permesso di soggiorno",
                           "Medicatie",
                           "Zwanger",
                           "Etnische achtergrond",
                           "Verblijfsstatus",
                           "Arbeidsongeschikt"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kSensitive) << name;
  }
}

TEST(SuggestRole, WhatTheLawCallsSpecialIsSensitive) {
  for (const char* name : {"sexual orientation",
                           "Ethnicity",
                           "trade_union",
                           "criminal_convictions",
                           "BloodGroup",
                           "disability",
                           "religion",
                           "political opinion",
                           "HIV",
                           "diagnosis",
                           "genetic test",
                           "sexuelle Orientierung",
                           "Ethnie",
                           "Gewerkschaft",
                           "Vorstrafen",
                           "Blutgruppe",
                           "Schwerbehinderung",
                           "politische Meinung",
                           "orientation sexuelle",
                           "syndicat",
                           "casier judiciaire",
                           "groupe sanguin",
                           "handicap",
                           "orientación sexual",
                           "sindicato",
                           "antecedentes penales",
                           "grupo sanguíneo",
                           "discapacidad",
                           "orientamento sessuale",
                           "sindacato",
                           "precedenti penali",
                           "gruppo sanguigno",
                           "disabilità",
                           "seksuele geaardheid",
                           "vakbond",
                           "strafblad",
                           "bloedgroep",
                           "arbeidsbeperking"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kSensitive) << name;
  }
  EXPECT_EQ(Repeated("race", {"aa", "bb", "cc", "dd"}).role, Role::kQuasi);
}

TEST(SuggestRole, MoneyAndFindingsOfALaboratory) {
  for (const char* name : {"Brutto", "Bruttolohn", "Kontostand", "bonus", "solde", "saldo", "allergy", "Allergie", "alergias",
                           "HbA1c", "hba1c_percent", "creatinine", "Kreatinin", "creatinina", "cholesterol", "Blutzucker"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kSensitive) << name;
  }
  EXPECT_EQ(Repeated("Hinweis", {"aa", "bb", "cc", "dd"}).role, Role::kIdentifier);
}

TEST(SuggestRole, HealthMoneyAndCrimeInSixLanguages) {
  for (const char* name : {"illness",
                           "condition",
                           "medical_condition",
                           "disorder",
                           "mental_health",
                           "cause_of_death",
                           "abortion",
                           "prescription",
                           "gender_identity",
                           "blood_pressure",
                           "net_worth",
                           "benefits",
                           "vaccination",
                           "dx",
                           "Erkrankung",
                           "Therapie",
                           "Laborwert",
                           "Todesursache",
                           "Pflegegrad",
                           "Impfstatus",
                           "Sozialhilfe",
                           "Bezüge",
                           "Pathologie",
                           "Affection",
                           "Infraction",
                           "Dettes",
                           "Cause_décès",
                           "Vaccin",
                           "Patología",
                           "Dolencia",
                           "Ingresos",
                           "Renta",
                           "Nómina",
                           "Delito",
                           "Causa_de_muerte",
                           "Patologia",
                           "Partito",
                           "Reato",
                           "Debiti",
                           "Causa_morte",
                           "Invalido",
                           "Aandoening",
                           "Klacht",
                           "Maandloon",
                           "Schuld",
                           "Misdrijf",
                           "Beperking",
                           "Doodsoorzaak",
                           "Uitkering",
                           "Vorerkrankung",
                           "psychotherapie",
                           "Chief complaint"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kSensitive) << name;
  }
}

TEST(SuggestRole, OtherPeopleAreNamedToo) {
  for (const char* name : {"next_of_kin",    "emergency_contact",
                           "contact_person", "father",
                           "mother",         "doctor",
                           "physician",      "nurse",
                           "guardian",       "manager",
                           "supervisor",     "signature",
                           "driver_license", "case_number",
                           "handle",         "Ansprechpartner",
                           "Notfallkontakt", "Arzt",
                           "Hausarzt",       "Betreuer",
                           "Vormund",        "Ehepartner",
                           "Mutter",         "Vater",
                           "Vorgesetzter",   "Sachbearbeiter",
                           "Pseudo",         "Permis",
                           "Matricule",      "Plaque",
                           "Médecin",        "Conjoint",
                           "Mère",           "Père",
                           "Tuteur",         "Matrícula",
                           "Médico",         "Cónyuge",
                           "Madre",          "Padre",
                           "Tutor",          "Expediente",
                           "Posta",          "Via",
                           "Patente",        "Medico",
                           "Coniuge",        "Tutore",
                           "Matricola",      "Rijbewijs",
                           "Huisarts",       "Partner",
                           "Moeder",         "Vader",
                           "Voogd",          "Personeelsnummer",
                           "Dossiernummer"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kIdentifier) << name;
  }
  EXPECT_TRUE(IsHidden(Repeated("x1", {"Dr. Quill", "Dr. Wu", "Prof. Dr. van Dorpel"}).role));
  EXPECT_TRUE(IsHidden(Repeated("x1", {"Frau Zabek", "Herr Ötzal"}).role));
  EXPECT_EQ(Repeated("x1", {"Herr", "Frau", "Dr."}).role, Role::kQuasi);
  EXPECT_EQ(Repeated("x1", {"Sr. Manager", "Jr. Manager", "Prof-specialty"}).role, Role::kQuasi);
}

TEST(SuggestRole, HandlesAndTextsThatOneRowHas) {
  EXPECT_EQ(Repeated("x1", {"@wanda_q", "@tycho", "@oona.z"}).role, Role::kIdentifier);
  const auto texts = [](const std::string& name, std::size_t unique) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < 1000; ++i)
      cells.push_back(i < unique ? "w" + std::string(i / 26 % 26, 'o') + char('a' + i % 26) + char('a' + i / 26) : "nn");
    return ProfileTable(TableOf({{name, cells}}), {}).columns[0].role;
  };
  EXPECT_EQ(texts("x1", 300), Role::kIdentifier);
  EXPECT_EQ(texts("x1", 100), Role::kQuasi);
  EXPECT_EQ(texts("town", 300), Role::kQuasi);
}

TEST(SuggestRole, LongNumbersWithoutANameMayNumberPeople) {
  const auto numbers = [](std::size_t from) { return Made(900, [&](std::size_t i) { return std::to_string(from + i); }); };
  EXPECT_EQ(Repeated("column_1", numbers(100000)).role, Role::kPerson);
  EXPECT_EQ(Repeated("column_1", numbers(1000)).role, Role::kQuasi);          // may be amounts
  EXPECT_EQ(Repeated("column_1", numbers(99900)).role, Role::kQuasi);         // of two lengths
  EXPECT_EQ(Repeated("column_1", numbers(100000), 9000).role, Role::kQuasi);  // too few for so many rows
  EXPECT_EQ(Repeated("column_1", Made(900, [](std::size_t i) { return "0" + std::to_string(1000 + i); })).role, Role::kQuasi);
  EXPECT_EQ(Repeated("column_1", Made(900, [](std::size_t i) { return "00" + std::to_string(1000 + i); })).role, Role::kPerson);
}

TEST(SuggestRole, ByContentUnderNamesThatSayNothing) {
  const auto role = [](const std::vector<std::string>& values) {
    return IsHidden(Repeated("x1", values).role) ? Role::kIdentifier : Role::kQuasi;
  };
  EXPECT_EQ(role({"Anna", "Petra", "Uwe", "Lena", "Zoltan", "Bjarne"}), Role::kIdentifier);
  EXPECT_EQ(role({"Müller", "Schmidt", "Weber", "Kwiatkowski", "Fischer"}), Role::kIdentifier);
  EXPECT_EQ(role({"a@b.de", "c.d@e.org", "f@g.fr"}), Role::kIdentifier);
  EXPECT_EQ(role({"+49 176 1234567", "0171/9876543", "(030) 123 456"}), Role::kIdentifier);
  EXPECT_EQ(role({"555-123-4567", "555-987-6543"}), Role::kIdentifier);
  EXPECT_EQ(role({"DE89 3704 0044 0532 0130 00", "FR7630006000011234567890189"}), Role::kIdentifier);
  EXPECT_EQ(role({"192.168.0.1", "10.0.0.7", "fe80::1ff:fe23:4567:890a"}), Role::kIdentifier);
  EXPECT_EQ(role({"078-05-1120", "219-09-9999", "457-55-5462", "123-45-6789", "987-65-4320"}), Role::kIdentifier);
  EXPECT_EQ(role({"RSSMRA85T10A562S", "VRDLGI70A01F205X", "BNCGPP60B02H501Y", "NRELCU90C03L219Z", "GLLMRC80D04F839W"}),
            Role::kIdentifier);
  EXPECT_EQ(role({"12345678Z", "11111111H", "22222222J", "33333333P", "X1234567L"}), Role::kIdentifier);
}

TEST(SuggestRole, GivenNamesWithSurnamesThatNoListHas) {
  const std::vector<std::string> given = {"Wanda", "Edda", "Dario", "Jolanta", "Émile", "Anna-Lena", "Tycho", "Oona"};
  const std::vector<std::string> surnames = {"Quillfeather", "Ingleby", "Pemberly", "Ötzal", "O'Grain", "van Dorpel", "Zabek"};
  const auto full = Made(56, [&](std::size_t i) { return given[i / 7] + " " + surnames[i % 7]; });
  EXPECT_EQ(Repeated("x1", full).role, Role::kPerson);
  EXPECT_EQ(Repeated("x1", full).content, Content::kFullNames);
  EXPECT_EQ(Repeated("column_1", full).role, Role::kPerson);
  EXPECT_EQ(Repeated("column_1", {"Anna", "Petra", "Uwe", "Lena", "Zoltan"}).role, Role::kIdentifier);
  EXPECT_EQ(Repeated("occupation", full).role, Role::kQuasi);
  EXPECT_EQ(Repeated("disease", full).role, Role::kSensitive);
  EXPECT_EQ(Repeated("x1", {"New York", "Los Angeles", "San Diego"}).role, Role::kQuasi);
  const auto with_digits = Made(60, [](std::size_t i) { return "Ward North " + std::to_string(i); });
  EXPECT_EQ(Repeated("x1", with_digits).role, Role::kQuasi);
}

TEST(SuggestRole, WhatOnlyLooksAlikeIsNotTakenForANumberOfAPerson) {
  EXPECT_EQ(Repeated("x1", {"brown", "blue", "green", "black", "grey"}).role, Role::kQuasi);
  EXPECT_EQ(Repeated("x1", Made(300, [](std::size_t i) { return std::to_string(123456780 + i); })).role, Role::kQuasi);
  EXPECT_EQ(Repeated("job", {"Koch", "Schneider", "Bauer", "Richter", "Lehrer"}).role, Role::kQuasi);
  EXPECT_EQ(Repeated("born", {"1946-04-21", "1950-01-02", "1961-12-31"}).role, Role::kQuasi);
}

TEST(SuggestRole, NumbersOfPeopleByTheirNames) {
  const auto numbers = Made(60, [](std::size_t i) { return std::to_string((i * 15731 + 4711) % 1000000); });
  for (const char* name : {"Personalnr",
                           "PersNr",
                           "Personal-Nr.",
                           "Steuernr",
                           "Kd-Nr",
                           "Mitgliedsnr",
                           "Policennr",
                           "Vertragsnr",
                           "Versnr",
                           "Matrikelnr",
                           "Konto",
                           "kto",
                           "Az",
                           "Ausweisnr",
                           "Personalausweisnummer",
                           "steuerliche_identifikationsnummer",
                           "RVNR",
                           "eGK",
                           "SUBJID",
                           "USUBJID",
                           "account",
                           "account_no",
                           "cc_number",
                           "case_no",
                           "claim_no",
                           "policy_no",
                           "emp_no",
                           "staff_no",
                           "hospital_no",
                           "nhsno",
                           "chi_number",
                           "ni_number",
                           "sin",
                           "tin",
                           "licence_no",
                           "plate",
                           "badge",
                           "num_ss",
                           "numéro_sécurité_sociale",
                           "compte",
                           "rib",
                           "ipp",
                           "immatriculation",
                           "num_contrat",
                           "numpat",
                           "cuenta",
                           "cuenta_bancaria",
                           "legajo",
                           "historia_clinica",
                           "nhc",
                           "NUSS",
                           "CIP",
                           "numero_afiliado",
                           "cod_fiscale",
                           "CF",
                           "conto_corrente",
                           "partita_iva",
                           "carta_di_credito",
                           "n_tessera",
                           "n_paziente",
                           "gsmnummer",
                           "rekening",
                           "klantnr",
                           "polisnr",
                           "dossiernr",
                           "personeelsnr",
                           "lidnr",
                           "n° client",
                           "celular"}) {
    const Role role = Repeated(name, numbers, 420).role;
    EXPECT_TRUE(role == Role::kPerson || role == Role::kIdentifier) << name;
  }
  for (const char* name : {"lname", "fname", "addr", "portable", "whatsapp", "telegram", "skype", "remote_addr", "udid", "gaid",
                           "idfa", "coords"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kIdentifier) << name;
  }
  for (const char* name : {"room_no", "casino", "piano", "number of rooms", "anno"}) {
    EXPECT_EQ(Repeated(name, numbers, 420).role, Role::kQuasi) << name;
  }
  EXPECT_EQ(Repeated("account", {"checking", "savings", "none"}).role, Role::kQuasi);
  EXPECT_EQ(Repeated("sin", Made(60, [](std::size_t i) { return "0." + std::to_string(100 + i); })).role, Role::kQuasi);
}

TEST(SuggestRole, NumbersOfPeopleByTheirLooks) {
  const auto role = [](const std::function<std::string(std::size_t)>& make) {
    return Repeated("zeta", Made(60, make), 420).role;
  };
  const auto digits = [](std::size_t i, std::size_t count) {
    std::string text;
    for (std::size_t place = 0; place < count; ++place)
      text += static_cast<char>('0' + (i * 7919 + place * place * 31 + i / (place + 1)) % 10);
    return text;
  };
  const auto nhs = [](std::size_t i) {
    for (std::size_t last = 400000000 + i * 977;; ++last) {
      const std::string bare = std::to_string(last);
      int sum = 0;
      for (std::size_t place = 0; place < 9; ++place) sum += (bare[place] - '0') * static_cast<int>(10 - place);
      const int check = (11 - sum % 11) % 11;
      if (check < 10) return bare.substr(0, 3) + " " + bare.substr(3, 3) + " " + bare.substr(6) + std::to_string(check);
    }
  };
  EXPECT_EQ(role(nhs), Role::kPerson);
  EXPECT_EQ(Repeated("result", Made(60, nhs), 420).role, Role::kPerson);  // a sensitive column no less
  EXPECT_EQ(
      role([&](std::size_t i) { return "06." + digits(i, 2) + "." + digits(i + 9, 2) + ".97.1" + std::to_string(i % 10); }),
      Role::kPerson);
  EXPECT_EQ(role([](std::size_t i) { return "5A-0F-3A-F0-B7-" + std::to_string(10 + i); }), Role::kPerson);
  EXPECT_EQ(role([](std::size_t i) { return "10.0.1." + std::to_string(i) + ":5392" + std::to_string(i % 10); }),
            Role::kPerson);
  EXPECT_EQ(role([](std::size_t i) { return "48.79" + std::to_string(100 + i) + ",12.32170"; }), Role::kPerson);
  EXPECT_EQ(role([](std::size_t i) { return "X88361" + std::to_string(10 + i % 90) + "L"; }), Role::kPerson);
  EXPECT_EQ(role([](std::size_t i) { return "Am Markt " + std::to_string(i + 1); }), Role::kPerson);
  EXPECT_EQ(role([&](std::size_t i) { return std::string(1, static_cast<char>('A' + i % 20)) + digits(i, 9); }),
            Role::kPerson);                                                                                 // KVNR
  EXPECT_EQ(role([](std::size_t i) { return "220567-" + std::to_string(7300 + i); }), Role::kPerson);       // CPR
  EXPECT_EQ(role([](std::size_t i) { return "1850578006048" + std::to_string(10 + i); }), Role::kPerson);   // NIR
  EXPECT_EQ(role([](std::size_t i) { return "45398701234567" + std::to_string(10 + i); }), Role::kPerson);  // cards
  EXPECT_EQ(role([](std::size_t i) { return "17000000" + std::to_string(10000 + i); }), Role::kQuasi);      // times
  EXPECT_EQ(Repeated("ward", {"Ward 1", "Ward 2", "Stage 3", "North 4", "Type 2"}).role, Role::kQuasi);
}

TEST(SuggestRole, PeopleAreNotExemptInColumnsOfOtherThings) {
  std::vector<std::string> mixed = {"flu", "gout", "acne"};
  for (const char* name : {"Mr Ann Smith", "Mrs Joan Brown", "Dr. Evans", "M. Jean Martin", "Frau Zabek"})
    mixed.emplace_back(name);
  for (const char* name : {"disease", "diagnosis", "Krankheit", "hospital", "job", "Ort", "station", "Firma", "product"}) {
    EXPECT_EQ(Repeated(name, mixed).role, Role::kIdentifier) << name;
    EXPECT_TRUE(IsHidden(Repeated(name, {"Weber, Anna", "Fischer, Uwe", "Zabek, Petra"}).role)) << name;
  }
  EXPECT_EQ(Repeated("station",
                     {"W1", "W2", "W3", "W4", "W5", "W6", "Anna Weber", "Uwe Fischer", "Petra Koch", "Jan Vos", "Emma Smith"})
                .role,
            Role::kIdentifier);
  EXPECT_EQ(Repeated("disease", {"Parkinson", "Crohn", "Type 2 diabetes", "Morbus Bechterew"}).role, Role::kSensitive);
  EXPECT_EQ(Repeated("town", {"San Jose", "Santa Maria", "St. Martin", "Dr. Oetker", "Frankfurt", "Ulm", "Bonn", "Kiel"}).role,
            Role::kQuasi);
}

TEST(SuggestRole, AFewSentencesMakeASensitiveColumnText) {
  const auto with = [](const std::string& name, const std::string& sentence) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < 400; ++i)
      cells.push_back(i % 50 == 0 ? sentence + " (" + std::to_string(i) + ")" : i % 3 == 0 ? "flu" : "gout");
    return ProfileTable(TableOf({{name, cells}}), {}).columns[0].role;
  };
  for (const char* name : {"diagnosis", "disease", "Behandlung", "complaint", "symptoms"}) {
    EXPECT_EQ(with(name, "patient reports that her neighbour Ann Smith saw her at the clinic"), Role::kIdentifier) << name;
    EXPECT_EQ(with(name, "flu of type"), Role::kSensitive) << name;
  }
}

TEST(SuggestRole, SensitiveDaysThatFewShareAreLeftOut) {
  const auto day = [](std::size_t i) {
    return "20" + std::to_string(10 + i / 300) + "-0" + std::to_string(1 + i % 9) + "-" + std::to_string(10 + i / 9 % 19);
  };
  EXPECT_EQ(Repeated("diagnosis_date", Made(150, day), 150).role, Role::kIdentifier);
  EXPECT_EQ(Repeated("diagnosis_date", Made(150, day), 1500).role, Role::kSensitive);
}

TEST(SuggestRole, DaysThatAreNotReadAreLeftOut) {
  const auto two = [](std::size_t i) { return (i < 10 ? "0" : "") + std::to_string(i); };
  const auto role = [](const std::string& name, const std::function<std::string(std::size_t)>& make) {
    return Repeated(name, Made(200, make), 600).role;
  };
  const std::vector<std::function<std::string(std::size_t)>> unread = {
      [&](std::size_t i) { return two(i % 28 + 1) + "-AUG-19" + two(40 + i / 28); },
      [&](std::size_t i) { return two(i % 28 + 1) + " Mar 19" + two(40 + i / 28); },
      [&](std::size_t i) { return std::to_string(i % 28 + 1) + ". Januar 19" + two(40 + i / 28); },
      [&](std::size_t i) { return std::to_string(i % 28 + 1) + " de febrero de 19" + two(40 + i / 28); },
      [&](std::size_t i) { return two(i % 28 + 1) + ".12." + two(40 + i / 28); },
      [&](std::size_t i) { return two(i % 28 + 1) + "05" + "19" + two(40 + i / 28); },
      [&](std::size_t i) { return std::to_string(i % 28 + 1) + "04" + "19" + two(40 + i / 28); },
      [&](std::size_t i) { return "11." + two(i % 28 + 1) + ".20" + two(i / 28); },
      [&](std::size_t i) { return "20" + two(i / 52) + "-W" + two(i % 52 + 1); },
      [&](std::size_t i) { return "202301" + two(i % 28 + 1) + "1059" + two(i / 28); }};
  for (std::size_t i = 0; i < unread.size(); ++i) {
    EXPECT_EQ(role("x1", unread[i]), Role::kIdentifier) << i;
    EXPECT_EQ(role("Aufnahmedatum", unread[i]), Role::kIdentifier) << i;
  }
  EXPECT_EQ(role("dob", [](std::size_t i) { return std::to_string(30000 + i); }), Role::kIdentifier);  // of a spreadsheet
  EXPECT_EQ(role("dob", [](std::size_t i) { return std::to_string(1930 + i % 60); }), Role::kQuasi);
  EXPECT_EQ(role("fee", [](std::size_t i) { return std::to_string(30000 + i); }), Role::kQuasi);
  EXPECT_EQ(role("candidate", [](std::size_t i) { return std::to_string(30000 + i); }), Role::kQuasi);
}

TEST(SuggestRole, WhatReportsAndFilesOfClaimsHold) {
  for (const char* name :
       {"HDiag",  "DRG",      "CIM10",     "farmaci", "serostatus",    "covid",           "GdB",           "Sucht",
        "drogen", "tabac",    "IVG",       "suicide", "depression",    "sexual_partners", "contraception", "felony",
        "victim", "violence", "casier",    "kirche",  "Kirchensteuer", "culto",           "partij",        "Schadenhöhe",
        "claims", "fraud",    "Mahnstufe", "schufa",  "ALG2",          "Bürgergeld",      "bijstand",      "AEDECOD"}) {
    EXPECT_EQ(Repeated(name, {"aa", "bb", "cc", "dd"}).role, Role::kSensitive) << name;
  }
}

TEST(SuggestRole, FreeText) {
  const auto texts = Made(30, [](std::size_t i) { return "please call the daughter, number " + std::to_string(i); });
  EXPECT_EQ(Repeated("x1", texts).role, Role::kIdentifier);
}

TEST(SuggestRole, KeysThatRepeatTellPeopleApart) {
  const auto keys = Made(300, [](std::size_t i) { return "u" + std::to_string(i); });
  for (const char* name : {"user", "patient_id", "PatientID", "Kundennummer", "Patientennummer", "id", "identifiant",
                           "paciente", "cliente id", "klantnummer", "customer number"}) {
    EXPECT_EQ(Repeated(name, keys).role, Role::kPerson) << name;
  }
  // Not every quantity that is said of a person is a key.
  EXPECT_EQ(Repeated("patient_age", Made(80, [](std::size_t i) { return std::to_string(20 + i); })).role, Role::kQuasi);
  EXPECT_EQ(Repeated("user", {"a", "b"}).role, Role::kQuasi);
}

TEST(SuggestRole, OneColumnTellsPeopleApartTheOthersAreLeftOut) {
  std::vector<std::string> orders, patients, mails;
  for (std::size_t i = 0; i < 3000; ++i) {
    orders.push_back("o" + std::to_string(i % 900));
    patients.push_back("p" + std::to_string(i % 300));
    mails.push_back("p" + std::to_string(i % 300) + "@x.org");
  }
  const Profile all = ProfileTable(TableOf({{"order_id", orders}, {"patient", patients}, {"contact", mails}}), {});
  EXPECT_EQ(all.columns[0].role, Role::kIdentifier);
  EXPECT_EQ(all.columns[1].role, Role::kPerson);
  EXPECT_EQ(all.columns[2].role, Role::kIdentifier);
  const Profile mail = ProfileTable(TableOf({{"contact", mails}}), {});
  EXPECT_EQ(mail.columns[0].role, Role::kPerson);  // of nobody's rows too many
}

TEST(SuggestRole, WhatAllRowsAgreeOnIsLeftOut) {
  for (const char* name : {"name", "phone", "remark", "diagnosis", "PLZ", "country", "x1", "patient_id"}) {
    EXPECT_EQ(Repeated(name, {"12345"}).role, Role::kIdentifier) << name;
    EXPECT_EQ(Repeated(name, {""}).role, Role::kIdentifier) << name;
  }
  EXPECT_TRUE(Repeated("diagnosis", {"gout"}).named_sensitive);
  EXPECT_EQ(Repeated("diagnosis", {"gout", "flu"}).role, Role::kSensitive);
}

TEST(SuggestRole, SensitiveTextsThatFindTheirRowsAreLeftOut) {
  const auto dollars = Made(80, [](std::size_t i) { return "$4," + std::to_string(100 + i) + ".26"; });
  EXPECT_EQ(Repeated("income", dollars).role, Role::kIdentifier);
  EXPECT_EQ(Repeated("income", Made(80, [](std::size_t i) { return std::to_string(i) + "k"; })).role, Role::kIdentifier);
  EXPECT_EQ(Repeated("Gehalt", Made(80, [](std::size_t i) { return std::to_string(3 + i) + "\u202f122,29 €"; })).role,
            Role::kIdentifier);
  EXPECT_EQ(Repeated("result", Made(60, [](std::size_t i) { return "case " + std::to_string(i); }), 60).role,
            Role::kIdentifier);
  EXPECT_EQ(Repeated("income", {"<=50K", ">50K"}).role, Role::kSensitive);
  EXPECT_EQ(Repeated("diagnosis", {"I10", "E11.9", "J45.0", "F32.1", "M54.5", "250.01"}).role, Role::kSensitive);
}

TEST(SuggestRole, FewTextsThatNamePeople) {
  EXPECT_EQ(Repeated("x1", {"none", "Tochter Lisa (0171 5550101) informiert"}).role, Role::kIdentifier);
  EXPECT_EQ(Repeated("diagnosis", {"flu", "ask w.quill@example.org", "gout"}).role, Role::kIdentifier);
  EXPECT_EQ(Repeated("x1", {"asks for a room at the window", "yes"}).role, Role::kIdentifier);
  EXPECT_TRUE(IsHidden(Repeated("x1", {"A. Weiß", "Ö. Zabek", "Trautwig, E."}).role));
  EXPECT_EQ(Repeated("x1", {"E. coli", "S. aureus", "H. pylori"}).role, Role::kQuasi);
  EXPECT_EQ(Repeated("x1", {"0 - 500000", "Season 2019/2020", "since 2020-01-31", "Some college"}).role, Role::kQuasi);
  EXPECT_EQ(Repeated("diagnosis", {"Type 2 diabetes mellitus without complications", "flu"}).role, Role::kSensitive);
}

TEST(SuggestRole, WaysToReachPeopleHoweverFewAndAmongWhat) {
  const std::vector<std::vector<std::string>> reached = {
      {"anna.mueller@web.de", "k.weber@gmx.de", "zoe@x.org"},
      {"0171 2345678", "+49 30 1234567", "089/123456"},
      {"DE89 3704 0044 0532 0130 00", "FR1420041010050500013M02606", "NL91ABNA0417164300"},
      {"Hauptstraße 12", "12 rue de la Paix", "Via Roma 5"},
      {"Gartenweg 3", "12 High Street", "Calle Mayor 4"}};
  for (const std::vector<std::string>& all : reached) {
    for (std::size_t count = 1; count <= 3; ++count) {
      std::vector<std::string> values(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
      EXPECT_TRUE(IsHidden(Repeated("c", values).role)) << values.back();
      for (const char* ward : {"Innere", "Chirurgie", "Radiologie"}) values.emplace_back(ward);
      EXPECT_EQ(Repeated("c", values).role, Role::kIdentifier) << values[0];
      EXPECT_EQ(Repeated("Abteilung", values).role, Role::kIdentifier) << values[0];
    }
  }
  for (const std::vector<std::string>& values :
       std::vector<std::vector<std::string>>{{"unter 18", "18-30", "31-65", "auf Station 4"},
                                             {"Platz 1", "Platz 2", "Weg 3"},
                                             {"01/2020 - 12/2021", "none"},
                                             {"01/2020 - 06/2020", "07/2020 - 12/2020"},
                                             {"Arbeitsplatz 1", "Liegeplatz 2", "Infektionsweg 3"},
                                             {"Route 66", "oral route 2", "iv"},
                                             {"via portal 3", "im Haus 2", "per Post"},
                                             {"2019-2020", "2020-2021", "2021-2022"}}) {
    EXPECT_EQ(Repeated("c", values).role, Role::kQuasi) << values[0];
  }
}

TEST(SuggestRole, OfficialNumbersOfFewPeople) {
  for (const std::vector<std::string>& values :
       std::vector<std::vector<std::string>>{{"227-25-1776", "442-24-3843"},
                                             {"756.1234.5678.97", "756.9217.0769.85", "756.3333.2222.11"},
                                             {"A123456789", "B223456789", "C323456789"},
                                             {"RSSMRA85T10A562S", "VRDLGI70A01F205X"}}) {
    EXPECT_EQ(Repeated("c", values).role, Role::kPerson) << values[0];
  }
  for (const char* name : {"plate", "number_plate", "licence_plate", "kfz"})
    EXPECT_TRUE(IsHidden(Repeated(name, {"B-AB 123", "M-XY 45", "K-ZZ 678", "HH-A 9"}).role)) << name;
  for (const char* name : {"lat", "lon", "Breitengrad", "Längengrad", "longitude"})
    EXPECT_EQ(Repeated(name, {"48.79858", "48.1", "47.99", "52.5"}).role, Role::kIdentifier) << name;
}

TEST(SuggestRole, CountsAndKindsOfPeopleAreNoKeys) {
  const auto counts = Made(12, [](std::size_t i) { return std::to_string(100 + i); });
  for (const char* name : {"patients", "number of patients", "no_of_members", "household"})
    EXPECT_EQ(Repeated(name, counts, 600).role, Role::kQuasi) << name;
  for (const char* name : {"customer", "insured", "member", "subject"})
    EXPECT_EQ(Repeated(name, {"new", "old", "vip"}, 600).role, Role::kQuasi) << name;
}

TEST(SuggestRole, DaysThatAreNotKnownAreNoKeys) {
  const auto year = [](std::size_t i) { return std::to_string(1940 + i) + "-00-00"; };
  EXPECT_EQ(Repeated("x", Made(60, year), 600).role, Role::kIdentifier);
  EXPECT_NE(Repeated("x", Made(60, year), 600).why.find("days"), std::string::npos);
  EXPECT_EQ(Repeated("x", Made(60, [](std::size_t i) { return "00.05." + std::to_string(1940 + i); }), 600).role,
            Role::kIdentifier);
}

TEST(SuggestRole, PostcodesAreCodes) {
  for (const char* name : {"zip", "PLZ", "Postleitzahl", "code postal", "codigo_postal", "CAP", "postcode"}) {
    const ColumnProfile column = Repeated(name, Made(50, [](std::size_t i) { return std::to_string(10115 + i); }));
    EXPECT_EQ(column.role, Role::kQuasi) << name;
    EXPECT_TRUE(column.codes) << name;
  }
  EXPECT_TRUE(Repeated("postcode", {"1012 AB", "SW1A 1AA", "EC1A 1BB"}).codes);
}

TEST(Words, AreSpelledOut) {
  EXPECT_EQ(WordsOf("Größe (cm)"), (std::vector<std::string>{"groesse", "cm"}));
  EXPECT_EQ(WordsOf("PatientID"), (std::vector<std::string>{"patient", "id"}));
  EXPECT_EQ(WordsOf("prénom_élève"), (std::vector<std::string>{"prenom", "eleve"}));
  EXPECT_EQ(WordsOf("ÄRZTE"), (std::vector<std::string>{"aerzte"}));
  EXPECT_TRUE(WordsOf("--").empty());
}

// Linear: a test of a second would take minutes otherwise.
TEST(Words, OfAnyLength) {
  EXPECT_FALSE(Mentions(WordsOf(std::string(2'000'000, 'a')), Meant::kSensitive));
  EXPECT_TRUE(Mentions(WordsOf(std::string(2'000'000, 'a') + "gehalt"), Meant::kSensitive));
}

}  // namespace
}  // namespace cordon::engine
