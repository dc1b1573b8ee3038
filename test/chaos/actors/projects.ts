import type { Actor } from './actor.ts';

const PROJECTS = '/cloud/v1/projects';

/** A project is there at once; its deletion is a task. */
export const projects: Actor = {
  weight: 1,
  async live(client, number) {
    const answer = await client.write('POST', PROJECTS, { name: `chaos ${number}` });
    if (answer) await client.maybeRemove(`${PROJECTS}/${answer.body.id}`);
  },
  all: [{ list: PROJECTS, one: ({ id }) => `${PROJECTS}/${id}` }],
};
