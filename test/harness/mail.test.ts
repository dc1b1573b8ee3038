import net from 'node:net';
import { expect, test } from 'vitest';
import { startMailServer } from './mail.ts';

test('a sender that dies in the middle of a mail does not end the test', async () => {
  const mail = await startMailServer();
  const { hostname, port } = new URL(mail.url);
  for (let i = 0; i < 3; i++) {
    const sender = net.connect(Number(port), hostname);
    await new Promise((resolve) => sender.once('data', resolve));
    sender.write('EHLO test\r\nMAIL FROM:<a@virga.test>\r\n');
    await new Promise((resolve) => sender.once('data', resolve));
    sender.resetAndDestroy();
  }
  await mail.close();
  expect(mail.received).toEqual([]);
});
