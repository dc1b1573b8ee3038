import { plainPath } from '../../platform/http/paths.ts';
import { RawReply, type Route } from '../../platform/http/route.ts';
import { VideoTokenQuery, VideoTokenRecord } from './schema.ts';
import { issueVideoToken, type VideoTokenSettings } from './service.ts';

export function videoTokenRoutes(settings: VideoTokenSettings | undefined): readonly Route[] {
  return [
    plainPath('Video', '/video/token').get({
      operationId: 'signVideo',
      sensitive: true,
      summary: 'Sign the address of a video',
      description:
        'Tokens for one video or live stream, one valid from everywhere and one bound to the viewer, with the playlist addresses that carry them.',
      access: { public: 'asked by players; who may see a video is decided by VIRGA_VIDEO_AUTHORIZE_URL' },
      corsOrigins: settings?.corsOrigins ?? '*',
      query: VideoTokenQuery,
      response: VideoTokenRecord,
      handler: async (ctx, input) => {
        const record = await issueVideoToken(ctx, input, settings);
        // A kept answer would be handed to the next viewer, or outlive its tokens.
        const headers = { 'cache-control': 'no-store' };
        return new RawReply('application/json; charset=utf-8', JSON.stringify(record), headers);
      },
    }),
  ];
}
