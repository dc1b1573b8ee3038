import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../failures.ts';
import { addOperation, type Fields } from '../operation-command.ts';
import { operation } from '../operations.ts';
import type { Terminal } from '../terminal.ts';
import { fileText } from '../values.ts';

/** `secret create shop --certificate cert.pem --key key.pem`. */
export function addSecretHelpers(noun: Command, terminal: Terminal): void {
  addOperation(noun, operation('createSecret'), terminal, {
    options: [
      new Option('--certificate <file>', 'PEM; a chain may follow the certificate'),
      new Option('--key <file>', 'PEM, without a password'),
    ],
    body: (options, context) => payloadOf(options, context),
  });
}

function payloadOf({ certificate, key }: Fields, { terminal }: Context): Fields {
  if (certificate === undefined && key === undefined) return {};
  if (typeof certificate !== 'string' || typeof key !== 'string')
    throw new UsageError('--certificate and --key are needed together');
  const [first = '', ...chain] = fileText(certificate, terminal).split(/(?=-----BEGIN CERTIFICATE-----)/);
  return {
    payload: {
      certificate: first,
      certificate_chain: chain.join(''),
      private_key: fileText(key, terminal),
    },
  };
}
