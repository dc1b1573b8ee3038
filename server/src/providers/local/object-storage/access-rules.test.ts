import { expect, test } from 'vitest';
import { corsWith, policyWith } from './access-rules.ts';

const nothing = { isPublic: false, allowedOrigins: [], readers: [] };
const open = { ...nothing, isPublic: true };

test('what was made by a version that gave no names goes with what it was made for', () => {
  const old = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::photos/*'] },
    ],
  });
  expect(policyWith('photos', old, nothing, open)).toBeNull();
  expect(policyWith('photos', old, nothing, nothing)).toBe(old);
  const part = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
  const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map(part('AllowedMethod')).join('');
  const rule = `${part('AllowedOrigin')('*')}${methods}${part('AllowedHeader')('*')}${part('ExposeHeader')('ETag')}`;
  const rules = (...all: string[]) => part('CORSConfiguration')(all.map(part('CORSRule')).join(''));
  expect(corsWith(rules(rule), nothing)).toBeNull();
  const own = `${part('ID')('mine')}${rule}`;
  expect(corsWith(rules(rule, own), nothing)).toBe(rules(own));
  expect(corsWith(rules(own), { allowedOrigins: ['https://a.example'] })).toContain('<ID>virga</ID>');
});

test('a policy of one statement, which is no list, keeps it', () => {
  const own = { Effect: 'Deny', Principal: '*', Action: 's3:*', Resource: 'arn:aws:s3:::photos' };
  const there = JSON.stringify({ Version: '2012-10-17', Id: 'mine', Statement: own });
  const made = JSON.parse(policyWith('photos', there, open, nothing) ?? '');
  expect(made.Id).toBe('mine');
  expect(made.Statement).toEqual([own, expect.objectContaining({ Sid: 'VirgaPublicReading' })]);
});
