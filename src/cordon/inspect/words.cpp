// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/words.h"

#include <algorithm>
#include <unordered_set>

namespace cordon::engine {
namespace {

using WordSet = std::unordered_set<std::string_view>;

const WordSet& SetOf(Meant meant) {
  static const WordSet names = {
      "name",        "names",     "surname",     "firstname",    "lastname",     "forename",  "givenname",     "familyname",
      "middlename",  "fullname",  "maidenname",  "nickname",     "initials",     "vorname",   "vornamen",      "nachname",
      "zuname",      "rufname",   "geburtsname", "familienname", "maedchenname", "nom",       "noms",          "prenom",
      "prenoms",     "patronyme", "nombre",      "nombres",      "apellido",     "apellidos", "nome",          "cognome",
      "nominativo",  "naam",      "voornaam",    "voornamen",    "achternaam",   "roepnaam",  "tussenvoegsel", "voorletters",
      "meisjesnaam", "apellido1", "apellido2",   "bijnaam",      "spitzname",    "surnom",    "lname",         "fname",
      "mname",       "patname"};
  static const WordSet contacts = {"email",
                                   "mail",
                                   "emailadresse",
                                   "emailaddress",
                                   "courriel",
                                   "correo",
                                   "phone",
                                   "phones",
                                   "tel",
                                   "telephone",
                                   "mobile",
                                   "cell",
                                   "cellphone",
                                   "fax",
                                   "telefon",
                                   "telefonnr",
                                   "telefonnummer",
                                   "handy",
                                   "handynummer",
                                   "mobil",
                                   "mobilnummer",
                                   "rufnummer",
                                   "telefono",
                                   "movil",
                                   "cellulare",
                                   "telefoon",
                                   "telefoonnummer",
                                   "mobiel",
                                   "address",
                                   "street",
                                   "adresse",
                                   "anschrift",
                                   "strasse",
                                   "hausnummer",
                                   "hausnr",
                                   "rue",
                                   "calle",
                                   "direccion",
                                   "domicilio",
                                   "indirizzo",
                                   "straat",
                                   "straatnaam",
                                   "adres",
                                   "huisnummer",
                                   "housenumber",
                                   "strassenname",
                                   "domicile",
                                   "handynr",
                                   "mobilnr",
                                   "rueckrufnummer",
                                   "postaelettronica",
                                   "pec",
                                   "numerotelephone",
                                   "numerotelefono",
                                   "gsm",
                                   "posta",
                                   "via",
                                   "addr",
                                   "address1",
                                   "address2",
                                   "whatsapp",
                                   "telegram",
                                   "skype",
                                   "celular",
                                   "portable",
                                   "gsmnummer",
                                   "gsmnr",
                                   "coords",
                                   "coordinates",
                                   "koordinaten",
                                   "geokoordinaten",
                                   "latlon",
                                   "latlng"};
  static const WordSet official = {"ssn",
                                   "passport",
                                   "iban",
                                   "nino",
                                   "reisepass",
                                   "ausweis",
                                   "ausweisnummer",
                                   "personalausweis",
                                   "kontonummer",
                                   "kontonr",
                                   "steuernummer",
                                   "steuerid",
                                   "svnr",
                                   "sozialversicherungsnummer",
                                   "kvnr",
                                   "versichertennummer",
                                   "versichertennr",
                                   "krankenversichertennummer",
                                   "rentenversicherungsnummer",
                                   "passeport",
                                   "nir",
                                   "secu",
                                   "dni",
                                   "nie",
                                   "nif",
                                   "pasaporte",
                                   "curp",
                                   "passaporto",
                                   "codicefiscale",
                                   "bsn",
                                   "burgerservicenummer",
                                   "paspoort",
                                   "rijksregisternummer",
                                   "card",
                                   "cardnumber",
                                   "creditcard",
                                   "kreditkarte",
                                   "socialsecurity",
                                   "nhs",
                                   "licenceplate",
                                   "licenseplate",
                                   "kennzeichen",
                                   "kenteken",
                                   "targa",
                                   "vin",
                                   "fuehrerschein",
                                   "rekeningnummer",
                                   "bankaccount",
                                   "accountnumber",
                                   "numerosecu",
                                   "seguridadsocial",
                                   "tarjeta",
                                   "nss",
                                   "insee",
                                   "sofinummer",
                                   "passnr",
                                   "passnummer",
                                   "reisepassnummer",
                                   "cartacredito",
                                   "tesserasanitaria",
                                   "numerosicurezza",
                                   "medicare",
                                   "driverlicense",
                                   "driverslicense",
                                   "driverlicence",
                                   "driverslicence",
                                   "drivinglicence",
                                   "drivinglicense",
                                   "casenumber",
                                   "permis",
                                   "matricule",
                                   "plaque",
                                   "matricula",
                                   "expediente",
                                   "patente",
                                   "matricola",
                                   "rijbewijs",
                                   "rijbewijsnummer",
                                   "personeelsnummer",
                                   "dossiernummer",
                                   "egk",
                                   "ipp",
                                   "rib",
                                   "immatriculation",
                                   "securitesociale",
                                   "numerosecuritesociale",
                                   "identifikationsnummer",
                                   "steueridentifikationsnummer",
                                   "historiaclinica",
                                   "nhc",
                                   "codfiscale",
                                   "contocorrente",
                                   "partitaiva",
                                   "cartadicredito",
                                   "cuentabancaria",
                                   "kundenkarte",
                                   "kundenkartennummer",
                                   "loyaltycard",
                                   "licenceplate",
                                   "numberplate",
                                   "plate",
                                   "kfz",
                                   "nhsno",
                                   "nuss"};
  static const WordSet accounts = {
      "login",     "username",  "nickname",   "benutzername", "gebruikersnaam", "url",      "homepage", "website",
      "ip",        "ipaddress", "ipadresse",  "mac",          "imei",           "imsi",     "cookie",   "twitter",
      "instagram", "facebook",  "linkedin",   "photo",        "foto",           "hostname", "deviceid", "signature",
      "handle",    "pseudo",    "remoteaddr", "clientip",     "udid",           "gaid",     "idfa"};
  static const WordSet relatives = {"kin",
                                    "gp",
                                    "emergencycontact",
                                    "contactperson",
                                    "father",
                                    "mother",
                                    "spouse",
                                    "husband",
                                    "wife",
                                    "partner",
                                    "doctor",
                                    "physician",
                                    "nurse",
                                    "guardian",
                                    "caregiver",
                                    "manager",
                                    "supervisor",
                                    "ansprechpartner",
                                    "kontaktperson",
                                    "notfallkontakt",
                                    "arzt",
                                    "aerztin",
                                    "hausarzt",
                                    "hausaerztin",
                                    "betreuer",
                                    "betreuerin",
                                    "vormund",
                                    "ehepartner",
                                    "ehefrau",
                                    "ehemann",
                                    "mutter",
                                    "vater",
                                    "vorgesetzter",
                                    "vorgesetzte",
                                    "sachbearbeiter",
                                    "sachbearbeiterin",
                                    "medecin",
                                    "conjoint",
                                    "conjointe",
                                    "mere",
                                    "pere",
                                    "tuteur",
                                    "tutrice",
                                    "medico",
                                    "conyuge",
                                    "madre",
                                    "padre",
                                    "tutor",
                                    "coniuge",
                                    "tutore",
                                    "huisarts",
                                    "contactpersoon",
                                    "echtgenoot",
                                    "echtgenote",
                                    "moeder",
                                    "vader",
                                    "voogd"};
  static const WordSet texts = {
      "comment",     "comments",    "remark",        "remarks",      "note",         "notes",       "freetext",
      "description", "bemerkung",   "bemerkungen",   "kommentar",    "notiz",        "notizen",     "anmerkung",
      "anmerkungen", "freitext",    "beschreibung",  "anamnese",     "arztbrief",    "commentaire", "commentaires",
      "remarque",    "remarques",   "observation",   "observations", "comentario",   "comentarios", "observaciones",
      "nota",        "notas",       "commento",      "commenti",     "osservazioni", "note",        "opmerking",
      "opmerkingen", "toelichting", "omschrijving",  "narrative",    "transcript",   "text",        "message",
      "messages",    "nachricht",   "nachrichten",   "descrizione",  "descripcion",  "messaggio",   "mensaje",
      "bericht",     "info",        "infos",         "hinweis",      "hinweise",     "memo",        "vermerk",
      "vermerke",    "aantekening", "aantekeningen", "annotazioni",  "anotaciones",  "annotations"};
  static const WordSet postcodes = {"zip",          "zipcode",    "postcode",     "postalcode", "postal", "plz",
                                    "postleitzahl", "codepostal", "codigopostal", "cp",         "cap",    "codiceavviamento"};
  static const WordSet persons = {
      "patient",     "patients",    "person",   "customer",   "client",   "user",      "member",       "subject",
      "participant", "respondent",  "student",  "employee",   "insured",  "patienten", "kunde",        "kunden",
      "mitglied",    "nutzer",      "benutzer", "teilnehmer", "proband",  "probanden", "versicherter", "mitarbeiter",
      "personne",    "utilisateur", "adherent", "assure",     "paciente", "persona",   "cliente",      "usuario",
      "socio",       "paziente",    "utente",   "assistito",  "persoon",  "klant",     "gebruiker",    "deelnemer",
      "lid",         "household",   "driver",   "citizen"};
  static const WordSet keys = {"id",
                               "ids",
                               "uuid",
                               "guid",
                               "pid",
                               "uid",
                               "identifier",
                               "identifiant",
                               "identificador",
                               "identificativo",
                               "kennung",
                               "pseudonym",
                               "patientid",
                               "patientenid",
                               "patientennummer",
                               "patientennr",
                               "patnr",
                               "patid",
                               "userid",
                               "customerid",
                               "kundennummer",
                               "kundennr",
                               "kundenid",
                               "mitgliedsnummer",
                               "personalnummer",
                               "matrikelnummer",
                               "aktenzeichen",
                               "fallnummer",
                               "fallnr",
                               "klantnummer",
                               "patientnumber",
                               "memberid",
                               "clientid",
                               "personid",
                               "mrn",
                               "dossier",
                               "subjid",
                               "usubjid",
                               "subjectid",
                               "patno"};
  static const WordSet numbers = {"key", "number", "no", "nr", "num", "account", "nummer", "numero", "codice", "konto"};
  static const WordSet things = {
      "city",      "town",       "country",      "county",      "state",      "region",     "product",     "hospital",
      "company",   "firm",       "school",       "file",        "brand",      "model",      "stadt",       "ort",
      "land",      "kreis",      "klinik",       "krankenhaus", "produkt",    "firma",      "ville",       "pays",
      "produit",   "hopital",    "entreprise",   "ciudad",      "pais",       "producto",   "empresa",     "citta",
      "paese",     "prodotto",   "azienda",      "stad",        "bedrijf",    "ziekenhuis", "type",        "category",
      "course",    "event",      "department",   "make",        "body",       "variable",   "column",      "table",
      "abteilung", "station",    "beruf",        "occupation",  "wohnort",    "geburtsort", "birthplace",  "place",
      "gemeinde",  "commune",    "comune",       "municipio",   "gemeente",   "plaats",     "lieu",        "luogo",
      "lugar",     "woonplaats", "municipality", "job",         "profession", "profesion",  "professione", "beroep",
      "trade",     "colour",     "color",        "farbe"};
  static const WordSet sensitive = {
      "disease", "diseases", "diagnosis", "diagnoses", "icd", "icd10", "salary", "income", "wage", "wages", "pay", "cost",
      "costs", "charges", "credit", "loan", "debt", "balance", "drug", "drugs", "medication", "treatment", "procedure",
      "result", "score", "hiv", "offence", "crime", "religion", "politics", "party", "bankruptcy", "amount", "krankheit",
      "diagnose", "diagnosen", "hauptdiagnose", "gehalt", "lohn", "einkommen", "betrag", "kosten", "rechnungsbetrag",
      "konfession", "partei", "medikament", "medikamente", "behandlung", "befund", "schulden", "kredit", "straftat", "maladie",
      "diagnostic", "salaire", "revenu", "revenus", "montant", "cout", "traitement", "medicament", "dette", "enfermedad",
      "diagnostico", "salario", "sueldo", "importe", "coste", "tratamiento", "medicamento", "deuda", "malattia", "diagnosi",
      "stipendio", "reddito", "importo", "costo", "terapia", "farmaco", "religione", "ziekte", "salaris", "loon", "inkomen",
      "bedrag", "behandeling", "medicijn", "geloof", "religie",
      // Articles 9 and 10 of the General Data Protection Regulation: what may not be processed without need.
      "sexuality", "sexualorientation", "ethnicity", "ethnic", "ethnicorigin", "tradeunion", "unionmember", "unionmembership",
      "conviction", "convictions", "criminal", "offense", "offences", "offenses", "bloodgroup", "bloodtype", "disability",
      "disabled", "religious", "faith", "belief", "beliefs", "political", "politicalopinion", "aids", "genetic", "genetics",
      "genotype", "dna", "biometric", "pregnancy", "pregnant", "addiction", "sexuelleorientierung", "sexualitaet", "ethnie",
      "ethnizitaet", "ethnischeherkunft", "gewerkschaft", "gewerkschaftsmitglied", "gewerkschaftszugehoerigkeit", "vorstrafe",
      "vorstrafen", "verurteilung", "verurteilungen", "blutgruppe", "behinderung", "behinderungsgrad", "schwerbehinderung",
      "schwerbehindert", "religionszugehoerigkeit", "glaube", "weltanschauung", "politischemeinung", "parteizugehoerigkeit",
      "parteimitglied", "genetisch", "gentest", "genotyp", "schwangerschaft", "schwanger", "straftaten", "orientationsexuelle",
      "sexualite", "origineethnique", "syndicat", "syndicale", "condamnation", "condamnations", "casierjudiciaire",
      "groupesanguin", "handicap", "invalidite", "confession", "croyance", "croyances", "opinionpolitique",
      "opinionspolitiques", "partipolitique", "vih", "sida", "genetique", "grossesse", "orientacionsexual", "sexualidad",
      "etnia", "sindicato", "sindical", "condena", "condenas", "antecedentespenales", "gruposanguineo", "discapacidad",
      "creencia", "creencias", "opinionpolitica", "ideologia", "partidopolitico", "genetico", "genetica", "embarazo",
      "orientamentosessuale", "sessualita", "sindacato", "condanna", "condanne", "precedentipenali", "grupposanguigno",
      "disabilita", "invalidita", "opinionepolitica", "opinionipolitiche", "partitopolitico", "gravidanza",
      "seksuelegeaardheid", "geaardheid", "etniciteit", "etnischeafkomst", "vakbond", "vakbondslid", "vakbondslidmaatschap",
      "veroordeling", "veroordelingen", "strafblad", "bloedgroep", "arbeidsbeperking", "godsdienst", "politiekevoorkeur",
      "politiekeopvatting", "politiekepartij", "zwangerschap", "injury", "injuries", "verletzung", "verletzungen", "blessure",
      "blessures", "lesion", "lesiones", "lesione", "lesioni", "letsel",
      // Money and what a laboratory finds.
      "earnings", "bonus", "bonuses", "netpay", "grosspay", "remuneration", "brutto", "netto", "bruttolohn", "nettolohn",
      "verdienst", "verguetung", "kontostand", "guthaben", "saldo", "solde", "remuneracion", "retribuzione", "brutoloon",
      "nettoloon", "allergy", "allergies", "allergie", "allergien", "alergia", "alergias", "allergia", "allergieen", "hba1c",
      "creatinine", "kreatinin", "creatinina", "cholesterol", "cholesterin", "colesterol", "colesterolo", "glucose", "glukose",
      "glucosa", "glucosio", "glycemie", "glucemia", "glicemia", "blutzucker", "bloodsugar", "bloedsuiker", "symptom",
      "symptoms", "symptome", "symptomes", "sintoma", "sintomas", "sintomi", "symptomen", "networth", "benefits",
      "bloodpressure", "bezuege", "laborwert", "laborwerte", "sozialhilfe", "dettes", "ingresos", "renta", "nomina", "debiti",
      "maandloon", "schuld", "uitkering",
      // Health, crime and conviction under further names.
      "complaint", "complaints", "illness", "illnesses", "condition", "conditions", "medicalcondition", "disorder", "disorders",
      "mentalhealth", "causeofdeath", "prescription", "prescriptions", "abortion", "genderidentity", "vaccination",
      "vaccinations", "dx", "erkrankung", "erkrankungen", "therapie", "therapien", "todesursache", "pflegegrad", "impfstatus",
      "impfung", "pathologie", "affection", "infraction", "infractions", "causedeces", "vaccin", "vaccins", "patologia",
      "patologias", "patologie", "dolencia", "dolencias", "delito", "delitos", "causademuerte", "partito", "reato", "reati",
      "causamorte", "invalido", "aandoening", "aandoeningen", "klacht", "klachten", "misdrijf", "misdrijven", "beperking",
      "beperkingen", "doodsoorzaak",
      // Habits, origin, standing and old age.
      "caste", "smoker", "smoking", "alcohol", "arrest", "arrests", "pension", "pensions", "brca", "brca1", "brca2",
      "viralload", "cd4", "immigrationstatus", "asylum", "asylumstatus", "refugee", "domesticviolence", "vote", "voted", "iq",
      "sickdays", "sickleave", "disciplinary", "disciplinaryaction", "medikation", "hautfarbe", "rente", "renten", "vermoegen",
      "aufenthaltsstatus", "aufenthaltstitel", "asylstatus", "kuendigungsgrund", "raucherstatus", "rauchen", "rauchverhalten",
      "alkohol", "alkoholkonsum", "fehltage", "krankheitstage", "diagnosecode", "patrimoine", "causedudeces", "seropositif",
      "seropositive", "statutvaccinal", "titredesejour", "retraite", "antecedents", "religieuse", "religieux", "politique",
      "ethnique", "afiliacionpolitica", "politica", "etnica", "estadomigratorio", "antecedentes", "religiosa", "religioso",
      "patrimonio", "debito", "causadimorte", "pensione", "pensioni", "permessodisoggiorno", "fede", "sindacale", "etnico",
      "medicatie", "zwanger", "afkomst", "etnische", "delict", "delicten", "vermogen", "verblijfsstatus", "verblijfsvergunning",
      "pensioen", "arbeidsongeschikt", "arbeidsongeschiktheid", "huidskleur", "ziektedagen", "ziekteverzuim",
      // What reports, registers and files of claims call it.
      "hdiag", "ndiag", "drg", "cim10", "farmaci", "serostatus", "covid", "covid19", "gdb", "sucht", "drogen", "drogue",
      "drogues", "tabac", "ivg", "suicide", "suizid", "suicidio", "depression", "depresion", "depressione", "depressie",
      "sexualpartners", "sexualpartner", "contraception", "verhuetung", "felony", "felonies", "misdemeanor", "victim",
      "victims", "violence", "casier", "kirche", "kirchensteuer", "culto", "partij", "schadenhoehe", "claims", "fraud",
      "betrug", "mahnstufe", "schufa", "alg2", "buergergeld", "bijstand", "aedecod", "aeterm"};
  static const WordSet births = {"birth",         "born",         "dob",           "birthdate",       "birthday",
                                 "geburt",        "geburtsdatum", "geburtstag",    "gebdat",          "gebdatum",
                                 "geboren",       "naissance",    "nacimiento",    "nascita",         "geboorte",
                                 "geboortedatum", "geburtsjahr",  "datenaissance", "fechanacimiento", "fechadenacimiento",
                                 "datadinascita", "datanascita"};
  static const WordSet dates = {"date", "datum", "fecha", "dated", "dob", "birthdate", "birthday", "gebdat", "geburtstag"};
  static const WordSet shared = {
      "household", "haushalt", "haushaltsnr", "haushaltsnummer", "foyer", "hogar", "huishouden", "family", "familie", "famille",
      "familia", "famiglia", "gezin",
      // accounts and cards
      "account", "acct", "iban", "konto", "kto", "kontonr", "kontonummer", "compte", "cuenta", "conto", "rekening",
      "rekeningnummer", "accountnumber", "bankaccount", "cuentabancaria", "contocorrente", "rib", "card", "cardnumber",
      "creditcard", "kreditkarte", "cartacredito", "cartadicredito", "tarjeta", "cc", "phone", "gsm",
      // cars
      "licenceplate", "licenseplate", "numberplate", "plate", "kennzeichen", "kfz", "kenteken", "targa", "plaque", "vin",
      "immatriculation", "vehicle", "fahrzeug",
      // contracts
      "contract", "vertrag", "vertrags", "contrat", "policy", "police", "policen", "poliza", "polizza", "polis"};
  static const WordSet coordinates = {"lat",         "latitude",    "lon",     "lng",      "longitude",
                                      "breitengrad", "laengengrad", "latitud", "longitud", "latitudine",
                                      "longitudine", "geolat",      "geolon",  "gpslat",   "gpslon"};
  switch (meant) {
    case Meant::kName: return names;
    case Meant::kContact: return contacts;
    case Meant::kOfficial: return official;
    case Meant::kAccount: return accounts;
    case Meant::kRelative: return relatives;
    case Meant::kFreeText: return texts;
    case Meant::kPostcode: return postcodes;
    case Meant::kPerson: return persons;
    case Meant::kKey: return keys;
    case Meant::kNumber: return numbers;
    case Meant::kThing: return things;
    case Meant::kBirth: return births;
    case Meant::kDate: return dates;
    case Meant::kShared: return shared;
    case Meant::kCoordinate: return coordinates;
    case Meant::kSensitive: break;
  }
  return sensitive;
}

// A letter of two bytes, from U+00C0 on, in plain letters; nothing if it is none of western Europe.
const char* Plain(unsigned char lead, unsigned char follow) {
  if (lead == 0xc5) return follow == 0x92 || follow == 0x93 ? "oe" : nullptr;
  if (lead != 0xc3) return nullptr;
  const unsigned char lower = follow | 0x20;
  if (follow == 0x9f) return "ss";
  if (lower == 0xa4 || lower == 0xa6) return "ae";
  if (lower == 0xb6 || lower == 0xb8) return "oe";
  if (lower == 0xbc) return "ue";
  if (0xa0 <= lower && lower <= 0xa5) return "a";
  if (lower == 0xa7) return "c";
  if (0xa8 <= lower && lower <= 0xab) return "e";
  if (0xac <= lower && lower <= 0xaf) return "i";
  if (lower == 0xb1) return "n";
  if (0xb2 <= lower && lower <= 0xb5) return "o";
  if (0xb9 <= lower && lower <= 0xbb) return "u";
  return nullptr;
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  bool lower_before = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool upper = 'A' <= c && c <= 'Z';
    const bool other = static_cast<unsigned char>(c) >= 0x80;
    const bool letter = upper || other || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9');
    if ((!letter || (upper && lower_before)) && !words.back().empty()) words.emplace_back();
    // Of letters of two bytes the capitals come first.
    const bool capital = other && i + 1 < name.size() && static_cast<unsigned char>(name[i + 1]) < 0x9f;
    lower_before = letter && !upper && !capital;
    if (!letter) continue;
    const char* plain =
        other && i + 1 < name.size() ? Plain(static_cast<unsigned char>(c), static_cast<unsigned char>(name[i + 1])) : nullptr;
    if (plain != nullptr) {
      words.back() += plain;
      ++i;
    } else {
      words.back() += upper ? static_cast<char>(c + 32) : c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

namespace {

// kundenname, klantnaam: somebody's name. Not dateiname.
bool IsNameOfSomebody(std::string_view word) {
  for (const std::string_view ending : {"name", "naam"}) {
    if (!word.ends_with(ending)) continue;
    const std::string_view whose = word.substr(0, word.size() - ending.size());
    if (SetOf(Meant::kPerson).contains(whose)) return true;
  }
  return false;
}

// German and Dutch put words together, and the last one says what the column holds: woonadres, nebendiagnose. A short word
// may end in another by chance.
bool EndsInKnown(std::string_view word, Meant meant) {
  constexpr std::size_t kLongWord = 6;
  constexpr std::size_t kLongestWord = 40;  // longer than every word of the lists
  if (meant == Meant::kName) return IsNameOfSomebody(word);
  if (meant == Meant::kContact) return word.ends_with("adresse") || word.ends_with("adres");
  if (meant == Meant::kDate) return word.ends_with("datum");
  if (meant != Meant::kSensitive) return false;
  const WordSet& known = SetOf(meant);
  const std::size_t first = word.size() > kLongestWord ? word.size() - kLongestWord : 1;
  for (std::size_t from = first; from + kLongWord <= word.size(); ++from) {
    if (known.contains(word.substr(from))) return true;
  }
  return false;
}

}  // namespace

bool Means(const std::string& word, Meant meant) { return SetOf(meant).contains(word) || EndsInKnown(word, meant); }

bool Mentions(const std::vector<std::string>& words, Meant meant) {
  const WordSet& known = SetOf(meant);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (Means(words[i], meant)) return true;
    std::string joined = words[i];
    for (std::size_t j = i + 1; j < std::min(i + 3, words.size()); ++j) {
      joined += words[j];
      if (known.contains(joined)) return true;
    }
  }
  return false;
}

namespace {

// Of which people have a number.
const WordSet& NumberedNouns() {
  static const WordSet nouns = {
      "contract", "member", "membership", "customer", "client", "staff", "account", "acct", "policy", "personnel", "employee",
      "emp", "tax", "hospital", "insurance", "insured", "patient", "pat", "chi", "ni", "nhs", "cc", "card", "licence",
      "license", "passport", "badge", "subject", "subj", "student", "person", "user", "phone", "loyalty", "payroll", "social",
      // German
      "personal", "pers", "steuer", "kunden", "kunde", "kd", "mitglied", "mitglieds", "police", "policen", "vertrag",
      "vertrags", "vers", "versicherung", "versicherungs", "versicherten", "matrikel", "konto", "kto", "ausweis",
      "personalausweis", "reisepass", "patienten", "rv", "sv", "kv", "karten", "kundenkarten", "probanden", "teilnehmer",
      "benutzer",
      // French
      "contrat", "adherent", "compte", "ss", "secu", "securite", "allocataire", "assure", "abonne", "carte", "licencie",
      // Spanish
      "afiliado", "cuenta", "socio", "poliza", "historia", "cliente", "paciente", "empleado", "expediente", "tarjeta",
      // Italian
      "tessera", "paziente", "conto", "polizza", "socio", "matricola", "dipendente", "assistito", "carta",
      // Dutch
      "klant", "klanten", "polis", "personeels", "lid", "leden", "rekening", "patient", "deelnemer", "gsm"};
  return nouns;
}
const WordSet& CaseNouns() {
  static const WordSet nouns = {"case",    "claim",    "file",      "fall",     "akten",   "akte",   "vorgangs", "schaden",
                                "dossier", "sinistre", "siniestro", "sinistro", "pratica", "schade", "zaak"};
  return nouns;
}

NumberOf NumberOfNoun(std::string_view noun) {
  if (SetOf(Meant::kRelative).contains(noun)) return NumberOf::kRelative;
  if (NumberedNouns().contains(noun) || SetOf(Meant::kPerson).contains(noun)) return NumberOf::kPerson;
  return CaseNouns().contains(noun) ? NumberOf::kCase : NumberOf::kNothing;
}

bool SaysNumber(std::string_view word) {
  static const WordSet known = {"nr", "no", "num", "number", "nummer", "numero", "nro", "nbr", "n", "n\xc2\xb0", "n\xc2\xba"};
  return known.contains(word);
}

// personalnr, numpat
NumberOf NumberInWord(std::string_view word) {
  for (const std::string_view ending : {"nummer", "number", "numero", "num", "nr", "no"}) {
    if (!word.ends_with(ending)) continue;
    const NumberOf of = NumberOfNoun(word.substr(0, word.size() - ending.size()));
    if (of != NumberOf::kNothing) return of;
  }
  for (const std::string_view start : {"numero", "num"}) {
    if (word.starts_with(start)) return NumberOfNoun(word.substr(start.size()));
  }
  return NumberOf::kNothing;
}

}  // namespace

NumberOf NumberedBy(const std::vector<std::string>& words) {
  // A number by themselves, if the column holds numbers.
  static const WordSet alone = {"account", "acct", "konto", "kto", "compte", "cuenta", "rekening", "legajo", "badge",
                                "plate",   "sin",  "tin",   "cf",  "cip",    "karte",  "rvnr",     "svnr"};
  static const WordSet cases = {"az", "case", "claim", "dossier", "akte"};
  static const WordSet between = {"de", "di", "du", "d", "of", "der", "del", "van", "id"};
  std::vector<std::string_view> telling;
  for (const std::string& word : words) {
    if (!between.contains(word)) telling.push_back(word);
  }
  for (std::size_t i = 0; i < telling.size(); ++i) {
    if (const NumberOf of = NumberInWord(telling[i]); of != NumberOf::kNothing) return of;
    if (i + 1 == telling.size()) break;
    const NumberOf before = SaysNumber(telling[i + 1]) ? NumberOfNoun(telling[i]) : NumberOf::kNothing;
    if (before != NumberOf::kNothing) return before;
    const NumberOf after = SaysNumber(telling[i]) ? NumberOfNoun(telling[i + 1]) : NumberOf::kNothing;
    if (after != NumberOf::kNothing) return after;
  }
  if (telling.size() != 1) return NumberOf::kNothing;
  if (alone.contains(telling[0])) return NumberOf::kPerson;
  return cases.contains(telling[0]) ? NumberOf::kCase : NumberOf::kNothing;
}

bool IsBareKey(const std::string& word) {
  static const WordSet bare = {"id",           "ids",           "uuid",           "guid",    "identifier",
                               "identifiant",  "identificador", "identificativo", "kennung", "dossier",
                               "aktenzeichen", "fallnummer",    "fallnr"};
  return bare.contains(word);
}

bool IsNameOfPeople(const std::string& word) {
  static const WordSet known = {
      // given names
      "james", "john", "robert", "michael", "william", "david", "richard", "joseph", "thomas", "charles", "christopher",
      "daniel", "matthew", "anthony", "mark", "donald", "steven", "andrew", "kenneth", "joshua", "kevin", "brian", "george",
      "edward", "mary", "patricia", "jennifer", "linda", "elizabeth", "barbara", "susan", "jessica", "sarah", "karen", "lisa",
      "nancy", "emily", "emma", "olivia", "sophia", "charlotte", "laura", "julia", "anna", "maria", "marie", "alice", "hannah",
      "hans", "peter", "klaus", "wolfgang", "juergen", "dieter", "manfred", "uwe", "stefan", "andreas", "frank", "markus",
      "sabine", "petra", "monika", "ursula", "renate", "heike", "claudia", "susanne", "birgit", "katrin", "lukas", "leon",
      "paul", "felix", "jonas", "max", "tim", "jan", "lena", "lea", "mia", "karl", "heinz", "werner", "helga", "ingrid", "jean",
      "pierre", "michel", "philippe", "alain", "nicolas", "jacques", "francois", "louis", "hugo", "lucas", "camille",
      "nathalie", "isabelle", "sylvie", "catherine", "martine", "sophie", "chloe", "manon", "lea", "juliette", "antoine",
      "jose", "antonio", "juan", "manuel", "francisco", "luis", "javier", "miguel", "carlos", "pedro", "pablo", "diego",
      "carmen", "josefa", "isabel", "ana", "dolores", "pilar", "teresa", "lucia", "paula", "marta", "sofia", "elena",
      "giuseppe", "giovanni", "mario", "luigi", "francesco", "angelo", "vincenzo", "marco", "andrea", "alessandro", "matteo",
      "rosa", "giulia", "chiara", "francesca", "martina", "giovanna", "paola", "alessia", "valentina", "lorenzo", "luca",
      "johannes", "pieter", "willem", "hendrik", "cornelis", "henk", "kees", "sanne", "daan", "sem", "bram", "lotte", "fleur",
      "johanna", "wilhelmina", "femke", "anouk", "mohamed", "mohammed", "ahmed", "ali", "fatima", "aisha", "mehmet", "ayse",
      // surnames
      "smith", "johnson", "williams", "brown", "jones", "miller", "davis", "wilson", "anderson", "taylor", "moore", "jackson",
      "martin", "thompson", "harris", "clark", "lewis", "robinson", "walker", "young", "wright", "scott", "evans", "roberts",
      "mueller", "schmidt", "schneider", "fischer", "weber", "meyer", "wagner", "becker", "schulz", "hoffmann", "schaefer",
      "koch", "bauer", "richter", "klein", "wolf", "schroeder", "neumann", "schwarz", "zimmermann", "braun", "krueger",
      "hofmann", "hartmann", "lange", "werner", "krause", "lehmann", "maier", "meier", "huber", "kaiser", "fuchs", "vogel",
      "bernard", "dubois", "durand", "leroy", "moreau", "simon", "laurent", "lefebvre", "bertrand", "roux", "fournier",
      "garcia", "gonzalez", "rodriguez", "fernandez", "lopez", "martinez", "sanchez", "perez", "gomez", "ruiz", "hernandez",
      "diaz", "moreno", "alvarez", "romero", "alonso", "gutierrez", "navarro", "torres", "dominguez", "ramirez", "flores",
      "rossi", "russo", "ferrari", "esposito", "bianchi", "romano", "colombo", "ricci", "marino", "greco", "bruno", "gallo",
      "conti", "deluca", "costa", "giordano", "mancini", "rizzo", "lombardi", "moretti", "barbieri", "fontana", "santoro",
      "jansen", "bakker", "janssen", "visser", "smit", "meijer", "mulder", "bos", "vos", "peters", "hendriks", "dekker",
      "brouwer", "dijkstra", "smits", "nguyen", "yilmaz", "kowalski", "novak", "petrov", "silva", "santos", "kaya"};
  return known.contains(word);
}

}  // namespace cordon::engine
