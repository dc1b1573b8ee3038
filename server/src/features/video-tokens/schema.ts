import { type Static, Type } from '@sinclair/typebox';
import { StringEnum } from '../../platform/http/schemas.ts';

export const VideoTokenQuery = Type.Object({
  video: Type.Optional(
    Type.String({ maxLength: 255, description: 'Slug of the video, or id of the live stream; required' }),
  ),
  type: Type.Optional(StringEnum(['vod', 'live'], { default: 'live' })),
  expire: Type.Optional(
    Type.Unknown({
      description:
        'Lifetime in seconds, or a Unix time after 1735689600; 3600 s when it is absent, not positive or no number',
    }),
  ),
  client_ip: Type.Optional(Type.String({ description: "Overrides the viewer's detected IP address" })),
});
export type VideoTokenQuery = Static<typeof VideoTokenQuery>;

export const VideoTokenRecord = Type.Object(
  {
    token: Type.String({ description: 'Valid from everywhere' }),
    token_ip: Type.String({ description: 'Valid from client_ip alone' }),
    client_ip: Type.String(),
    expires: Type.Integer({ description: 'Unix time in seconds at which both tokens expire' }),
    url: Type.String({ description: 'Master playlist with the plain token' }),
    url_ip: Type.String({ description: 'Master playlist with the token that is bound to client_ip' }),
  },
  { $id: 'VideoTokenRecord' },
);
export type VideoTokenRecord = Static<typeof VideoTokenRecord>;
