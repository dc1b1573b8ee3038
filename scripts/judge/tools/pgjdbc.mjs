// @ts-check
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { databaseEnv, POOLED } from '../databases.mjs';
import { mavenArtifact } from '../packages.mjs';

const PROGRAM = `
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;

public class Main {
  static Connection connect(String more) throws SQLException {
    var env = System.getenv();
    var url = "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE")
      + "?sslmode=require&prepareThreshold=1" + more;
    return DriverManager.getConnection(url, env.get("PGUSER"), env.get("PGPASSWORD"));
  }

  static Void use(int i) throws SQLException {
    try (var connection = connect(""); var statement = connection.prepareStatement("select ?::int + ?::int")) {
      for (int round = 0; round < 20; round++) {
        statement.setInt(1, i);
        statement.setInt(2, round);
        try (var rows = statement.executeQuery()) {
          rows.next();
          if (rows.getInt(1) != i + round) throw new IllegalStateException("wrong answer");
        }
      }
    }
    return null;
  }

  public static void main(String[] words) throws Exception {
    var threads = Executors.newFixedThreadPool(40);
    var clients = new ArrayList<Callable<Void>>();
    for (int i = 0; i < 40; i++) { int own = i; clients.add(() -> use(own)); }
    for (var ended : threads.invokeAll(clients)) ended.get();
    threads.shutdown();
    try (var connection = connect("&options=-c%20IntervalStyle=iso_8601");
         var rows = connection.createStatement().executeQuery("show IntervalStyle")) {
      rows.next();
      if (!rows.getString(1).equals("iso_8601")) throw new IllegalStateException("options were ignored");
    }
    try {
      connect("&currentSchema=other").close();
      throw new IllegalStateException("search_path was ignored");
    } catch (SQLException error) {
      if (!error.getMessage().contains("unsupported startup parameter: search_path")) throw error;
    }
  }
}
`;

/** @type {import('../tool.d.ts').Tool} */
export const pgjdbc = {
  name: 'pgjdbc',
  version: '42.7.8',
  does: POOLED,
  needs: ['java', 'mvn'],
  async run(context) {
    const { work, run } = context;
    const folder = await mavenArtifact(context, 'org.postgresql:postgresql:42.7.8');
    writeFileSync(path.join(work, 'Main.java'), PROGRAM);
    const archive = path.join(folder, 'postgresql-42.7.8.jar');
    await run('java', ['-cp', archive, 'Main.java'], { env: await databaseEnv(context) });
    return undefined;
  },
};
