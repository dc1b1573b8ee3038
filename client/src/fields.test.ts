import { expect, test } from 'vitest';
import { Conflict, Invalid } from '../../server/src/kernel/errors.ts';
import { toWire } from '../../server/src/platform/http/errors.ts';
import { fieldsOf } from './fields.ts';

/** Forms show what is wrong at the field, whichever body an error has. */

const FAULTS = {
  name: ['must be lowercase letters, digits and "-", and begin and end with a letter or digit'],
  'pools.0.size': ['must be 1 or more'],
};
const bodyOf = (error: Error, path: string) => toWire(error, path, 'the-request').body as never;

test.each(['/cloud/v1/networks/1/1', '/storage/v4/object_storages', '/waap/v1/custom-page-sets'])(
  'the faulty fields of a request to %s are read from its answer',
  (path) => {
    expect(fieldsOf(bodyOf(new Invalid(FAULTS), path))).toEqual(FAULTS);
  },
);

test('what is said of no field is read as no field', () => {
  const conflict = new Conflict(
    'The storage is in use: delete its buckets first. Note: this may take a while',
  );
  expect(fieldsOf(bodyOf(conflict, '/storage/v4/object_storages'))).toEqual({});
});
