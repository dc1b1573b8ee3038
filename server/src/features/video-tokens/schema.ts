import { type Static, Type } from '@sinclair/typebox';
import { Defaulted, StringEnum } from '../../platform/http/schemas.ts';

export const VideoTokenQuery = Type.Object({
  video: Type.Optional(
    Type.String({ maxLength: 255, description: 'Slug of the video, or id of the live stream; required' }),
  ),
  type: Defaulted(StringEnum(['vod', 'live'], { default: 'live' })),
  expire: Type.Optional(
    Type.Unknown({
      description:
        'Lifetime in seconds, or a Unix time after 1735689600; 3600 s when it is absent, not positive or no number. ' +
        'A token lives no longer than VIRGA_VIDEO_MAX_LIFETIME says, which is 86400 s where a service is asked who ' +
        'may see a video: `expires` of the answer says until when.',
    }),
  ),
  client_ip: Type.Optional(
    Type.String({
      description:
        'The IP address that token_ip and url_ip are bound to. Without it: x-real-ip, else the first address of ' +
        'x-forwarded-for, when a trusted proxy sends them; else the address that the request comes from, or 0.0.0.0, ' +
        'which no viewer has, when that is this very machine: send client_ip where there is no proxy.',
    }),
  ),
});
export type VideoTokenQuery = Static<typeof VideoTokenQuery>;

export const VideoTokenRecord = Type.Object(
  {
    token: Type.String({ description: 'Valid from everywhere' }),
    token_ip: Type.String({ description: 'Valid from client_ip alone' }),
    client_ip: Type.String(),
    expires: Type.Integer({ description: 'Unix time in seconds at which both tokens expire' }),
    url: Type.String({ description: 'Master playlist with the plain token' }),
    url_ip: Type.String({
      description:
        'Master playlist with the token that is bound to client_ip of this answer; from every other address it is a 403',
    }),
  },
  { $id: 'VideoTokenRecord' },
);
export type VideoTokenRecord = Static<typeof VideoTokenRecord>;
