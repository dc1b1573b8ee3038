// @ts-check
/** How Node runs the server, wherever it is a process of its own. Answers to lists are long, and live as long as their
 *  requests: with room for those of many requests at once, a list of 100 takes a twentieth less. The room is taken when
 *  it is needed, and given back. MiB. */
export const SERVER_FLAGS = ['--enable-source-maps', '--max-semi-space-size=32'];
