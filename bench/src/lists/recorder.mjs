// Loaded into a server before anything else: notes the statements that it sends to PostgreSQL, and sends them over a
// socket of its own.
import http from 'node:http';

const { VIRGA_TEST_RECORDER: socket } = process.env;

if (socket && /\bstart\.mjs$/.test(process.argv[1] ?? '')) {
  const { default: pg } = await import('pg');
  const { prepareValue } = (await import('pg/lib/utils.js')).default;
  let noted = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function noting(...args) {
    const [first, second] = args;
    const text = typeof first === 'string' ? first : first?.text;
    const values = (Array.isArray(second) ? second : first?.values) ?? [];
    if (text !== undefined) noted.push({ text, values: values.map(prepareValue) });
    return query.apply(this, args);
  };
  const server = http.createServer((_request, response) => {
    response.end(JSON.stringify(noted));
    noted = [];
  });
  server.listen(socket);
  server.unref();
}
