// @ts-check
/** How Node runs the server as a process of its own. Answers with lists are long, and live as long as their requests:
 *  with 32 MiB for new objects instead of 16, lists of 100 load balancers to 50 clients at once were a twentieth faster.
 *  Node takes this room when it needs it, and gives it back. */
export const SERVER_FLAGS = ['--max-semi-space-size=32'];
