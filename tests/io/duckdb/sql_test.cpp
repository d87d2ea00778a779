// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/duckdb/duckdb.h"
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

class Sql : public InDirectory {
 protected:
  void SetUp() override {
    InDirectory::SetUp();
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(directory_);
    Put("a.csv", "id,b\n1,x\n2,y\n");
    Put("c.csv", "id,c\n2,two\n1,one\n");
    Put("secret.csv", "SECRETNAME,n\nSECRETCELL,1\n");
    Put("lines.jsonl", "{\"id\":1,\"j\":\"q\"}\n{\"id\":2,\"j\":null}\n");
    std::filesystem::create_directory(directory_ / "d");
    Put("d/1.csv", "id\n7\n");
    Put("d/2.csv", "id\n8\n");
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    InDirectory::TearDown();
  }
  static Result<Table> Ask(const std::string& query, int threads = 1) {
    CORDON_TRY(const auto source, OpenSource("sql:" + query, {}));
    return ReadTable(*source, {.threads = threads});
  }
  static Rows RowsOfQuery(const std::string& query, int threads = 1) {
    const auto table = Ask(query, threads);
    EXPECT_TRUE(table.ok()) << query << ": " << (table.ok() ? "" : Failure(table.error()));
    return table.ok() ? RowsOf(table.value()) : Rows{};
  }
  static std::string FailureOfQuery(const std::string& query) {
    const auto table = Ask(query);
    return table.ok() ? "no error" : Failure(table.error());
  }
  std::filesystem::path before_;
};

TEST_F(Sql, JoinsFilesOfSeveralFormats) {
  EXPECT_EQ(
      RowsOfQuery("SELECT a.id, b, c, j FROM 'a.csv' a JOIN 'c.csv' USING (id) JOIN 'lines.jsonl' USING (id) ORDER BY id;"),
      (Rows{{"1", "x", "one", "q"}, {"2", "y", "two", kAbsent}}));
  EXPECT_EQ(RowsOfQuery("WITH t AS (FROM 'a.csv') SELECT b FROM t ORDER BY id DESC -- the end"), (Rows{{"y"}, {"x"}}));
  EXPECT_EQ(RowsOfQuery("SELECT id FROM read_csv(['d/1.csv', 'd/2.csv']) ORDER BY id"), (Rows{{"7"}, {"8"}}));
  EXPECT_EQ(RowsOfQuery("SELECT id FROM 'd/*.csv' ORDER BY id"), (Rows{{"7"}, {"8"}}));
  EXPECT_EQ(RowsOfQuery("SELECT * FROM (VALUES (1, 'x'), (NULL, '')) t(n, s)"), (Rows{{"1", "x"}, {kAbsent, ""}}));
}

TEST_F(Sql, OrderAndCodesDoNotDependOnThreads) {
  std::string csv = "n,t\n";
  for (int i = 0; i < 200'000; ++i) csv += std::to_string(i * 7919LL % 100'003) + ",text " + std::to_string(i % 977) + "\n";
  Put("large.csv", csv);
  const Rows one = RowsOfQuery("SELECT t, n FROM 'large.csv' WHERE n % 3 = 0", 1);
  EXPECT_GT(one.size(), std::size_t{60'000});
  EXPECT_EQ(RowsOfQuery("SELECT t, n FROM 'large.csv' WHERE n % 3 = 0", 4), one);
}

TEST_F(Sql, FilesOfAnInputAreThoseItNames) {
  EXPECT_EQ(FilesOfInput("sql:SELECT * FROM 'a.csv', read_csv('c.csv') WHERE id IN (SELECT id FROM 'd/?.csv')").value(),
            (std::vector<std::string>{"a.csv", "c.csv", "d/1.csv", "d/2.csv"}));
  EXPECT_EQ(FilesOfInput("x.csv").value(), std::vector<std::string>{"x.csv"});
  EXPECT_EQ(FilesOfInput("-").value(), std::vector<std::string>{"-"});
}

TEST_F(Sql, OnlyOneSelectMayBeAsked) {
  const std::string only = "reading a query: the query is refused: only SELECT may be asked | sql:SELECT ... FROM 'a.parquet'";
  for (const std::string query : {"COPY (SELECT 1) TO 'evil.csv'",
                                  "ATTACH 'evil.db'",
                                  "INSTALL httpfs",
                                  "LOAD httpfs",
                                  "PRAGMA version",
                                  "SET threads = 3",
                                  "RESET lock_configuration",
                                  "CREATE TABLE t AS SELECT 1",
                                  "DROP TABLE t",
                                  "INSERT INTO t VALUES (1)",
                                  "DELETE FROM t",
                                  "UPDATE t SET a = 1",
                                  "EXPLAIN ANALYZE SELECT 1",
                                  "CALL pragma_version()",
                                  "EXPORT DATABASE 'evil'",
                                  "VACUUM",
                                  "CHECKPOINT",
                                  "BEGIN",
                                  "PREPARE p AS SELECT 1",
                                  "EXECUTE p",
                                  "CREATE SECRET (TYPE s3)",
                                  "USE x",
                                  "SELECT 1; COPY (SELECT 1) TO 'evil.csv'"}) {
    EXPECT_EQ(FailureOfQuery(query), only) << query;
  }
  EXPECT_EQ(FailureOfQuery("SELECT 1; SELECT 2"), "reading a query: the query is refused: it must be one statement");
  EXPECT_EQ(FailureOfQuery(" ; "), "reading a query: the query is empty | sql:SELECT ... FROM 'a.parquet'");
  for (const std::string query :
       {"SELECT 1) AS x; COPY (SELECT 1", "SELECT 1 /*", "SELECT 'open", "SELECT $$open", "SELEC 1"}) {
    EXPECT_TRUE(FailureOfQuery(query).starts_with("reading a query: the query is refused: ")) << query;
  }
  EXPECT_EQ(Files(), (std::vector<std::string>{"a.csv", "c.csv", "d", "lines.jsonl", "secret.csv"}));
}

TEST_F(Sql, NothingIsReadThatIsNotNamed) {
  for (const std::string query : {"SELECT * FROM read_text('secret.csv')",
                                  "SELECT * FROM read_blob('secret.csv')",
                                  "SELECT * FROM glob('*')",
                                  "SELECT * FROM sniff_csv('secret.csv')",
                                  "SELECT * FROM query('FROM ''secret.csv''')",
                                  "SELECT * FROM query_table('secret.csv')",
                                  "SELECT * FROM read_csv('sec' || 'ret.csv')",
                                  "SELECT * FROM read_csv((SELECT 'secret.csv'))",
                                  "SELECT * FROM read_csv(getvariable('x'))",
                                  "SELECT * FROM 'a.csv' a, read_text(a.b)",
                                  "SELECT (SELECT content FROM read_text('secret.csv'))",
                                  "SELECT 1 WHERE EXISTS (FROM read_text('secret.csv'))",
                                  "WITH t AS (FROM read_text('secret.csv')) SELECT 1",
                                  "SELECT * FROM duckdb_settings()",
                                  "SELECT * FROM duckdb_secrets()",
                                  "SELECT * FROM parquet_metadata('a.csv')",
                                  "SELECT * FROM pragma_database_list()",
                                  "SELECT * FROM 'https://example.org/a.csv'",
                                  "SELECT * FROM 's3://b/a.parquet'",
                                  "SELECT * FROM read_csv('https://example.org/a.csv')",
                                  "SELECT getenv('HOME')",
                                  "SELECT * FROM '/dev/stdin'",
                                  "SELECT * FROM read_csv('d')",
                                  "SELECT * FROM sqlite_scan('secret.csv', 't')",
                                  "SELECT * FROM read_csv(['a.csv', 'd/*'], filename = 'x')"}) {
    const std::string failure = FailureOfQuery(query);
    EXPECT_NE(failure, "no error") << query;
    EXPECT_EQ(failure.find("SECRET"), std::string::npos) << failure;
  }
}

TEST_F(Sql, MessagesCarryNoCell) {
  for (const std::string query :
       {"SELECT SECRETNAME::INT FROM 'secret.csv'", "SELECT error(SECRETNAME) FROM 'secret.csv'",
        "SELECT nope FROM 'secret.csv'", "SELECT s.nope FROM 'secret.csv' s",
        "SELECT * FROM read_csv('secret.csv', types = {'nope': 'INT'})",
        "SELECT * FROM read_csv('secret.csv', types = {'SECRETNAME': 'INT'})",
        "SELECT * FROM read_csv('secret.csv', names = ['a', 'b', 'c'], auto_detect = false, columns = {'a': 'INT'})",
        "SELECT * FROM read_json('secret.csv')", "SELECT * FROM read_parquet('secret.csv')",
        "SELECT * EXCLUDE (nope) FROM 'secret.csv'", "SELECT strptime(SECRETNAME, '%Y') FROM 'secret.csv'"}) {
    const std::string failure = FailureOfQuery(query);
    EXPECT_NE(failure, "no error") << query;
    EXPECT_EQ(failure.find("SECRETCELL"), std::string::npos) << failure;
    const bool named = query.find("SECRETNAME") != std::string::npos;
    EXPECT_TRUE(named || failure.find("SECRETNAME") == std::string::npos) << failure;
  }
}

TEST_F(Sql, MistakesAreExplained) {
  EXPECT_EQ(FailureOfQuery("SELECT nope FROM 'a.csv'"),
            "reading a query: the query is refused: Referenced column \"nope\" not found in FROM clause!");
  EXPECT_EQ(FailureOfQuery("SELECT * FROM 'none.csv'"),
            "reading a query: the query names none.csv, which is not a file that can be read");
  EXPECT_EQ(FailureOfQuery("SELECT * FROM 'none*.csv'"), "reading a query: the query names none*.csv, and no file matches");
  EXPECT_EQ(FailureOfQuery("SELECT 1 AS a, 2 AS a"),
            "reading a query: column 2 has the name of another one | name it with AS in a query");
  EXPECT_EQ(
      FailureOfQuery("SELECT b::INT FROM 'a.csv'"),
      "reading a query: the query failed on the data (conversion error) | DuckDB's own message may quote cells and is not "
      "shown; run the query with duckdb to see it");
}

}  // namespace
}  // namespace cordon::engine
