import { Command } from 'commander';
import { nginxConfig } from '../../../edge/src/nginx-config.ts';
import { readEdgeSettings } from '../../../edge/src/settings.ts';

/** `virga edge`: what concerns the delivery edge. It needs no server, only the edge's settings. */
export function edgeCommand(): Command {
  const edge = new Command('edge').description('print what an edge of signed video is configured with');
  edge
    .command('nginx-config')
    .description(
      'Print an nginx configuration that delivers like the built-in edge, from the same settings (VIRGA_VIDEO_*, VIRGA_CDN_*, VIRGA_EDGE_*). It holds the secrets.',
    )
    .option('--run-dir <folder>', 'where nginx may put sockets, one for each older secret', '/run')
    .action(({ runDir }: { runDir: string }) => {
      process.stdout.write(nginxConfig(readEdgeSettings(process.env), { runDir }));
    });
  return edge;
}
