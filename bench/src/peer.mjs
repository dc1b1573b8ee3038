// @ts-check
// What the API is measured against: bare Fastify and pg, one named statement, JSON.stringify, nothing else.
import Fastify from 'fastify';
import pg from 'pg';

pg.types.setTypeParser(20, Number);
const pool = new pg.Pool({ ...JSON.parse(process.env.PEER_CONNECTION ?? '{}'), max: 20 });
const app = Fastify();

app.get('/task/:id', async (request, reply) => {
  const { id } = /** @type {{ id: string }} */ (request.params);
  const { rows } = await pool.query({
    name: 'task',
    text: 'select * from tasks where id = $1',
    values: [id],
  });
  return reply.type('application/json').send(JSON.stringify(rows[0]));
});

app.get('/load-balancers', async (_request, reply) => {
  const { rows } = await pool.query({
    name: 'load_balancers',
    text: `select p.*, (select json_agg(l.id) from lb_listeners l where l.load_balancer_id = p.id) as listeners,
                  (select count(*) from load_balancers where project_id = 1 and region_id = 2) as total
             from (select * from load_balancers where project_id = 1 and region_id = 2
                    order by created_at desc, id desc limit 100) p`,
  });
  return reply.type('application/json').send(JSON.stringify({ count: rows[0]?.total ?? 0, results: rows }));
});

app.get('/clusters', async (_request, reply) => {
  const { rows } = await pool.query({
    name: 'clusters',
    text: `select c.*, (select json_agg(p) from k8s_pools p where p.cluster_id = c.id) as pools,
                  (select json_agg(n) from k8s_nodes n where n.cluster_id = c.id) as nodes,
                  (select count(*) from k8s_clusters where project_id = 1 and region_id = 2) as total
             from k8s_clusters c where project_id = 1 and region_id = 2 order by created_at desc, id desc limit 100`,
  });
  return reply.type('application/json').send(JSON.stringify({ count: rows[0]?.total ?? 0, results: rows }));
});

app.get('/secrets', async (_request, reply) => {
  const { rows } = await pool.query({
    name: 'secrets',
    text: `select name, type, sealed,
                  (select count(*) from inference_secrets where project_id = 1) as total
             from inference_secrets where project_id = 1 order by name limit 100`,
  });
  const results = rows.map(({ sealed, ...row }) => ({ ...row, sealed: sealed.toString('base64') }));
  return reply.type('application/json').send(JSON.stringify({ count: rows[0]?.total ?? 0, results }));
});

await app.listen({ port: 0, host: '127.0.0.1' });
console.log(`peer ${app.listeningOrigin}`);
