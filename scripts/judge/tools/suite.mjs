// @ts-check

/** @type {import('../tool.d.ts').Tool} */
export const suite = {
  name: 'suite',
  version: '`JUDGE_SUITE`',
  does: 'a suite built elsewhere: whatever it does with `API_URL` and `API_TOKEN`; it ends with 0 when all is well',
  async run({ run }) {
    const program = process.env.JUDGE_SUITE;
    if (!program) return 'not run: `JUDGE_SUITE` names none';
    await run(program, []);
    return undefined;
  },
};
