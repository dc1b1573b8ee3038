// @ts-check
import { asyncpg } from './tools/asyncpg.mjs';
import { awsCli } from './tools/aws-cli.mjs';
import { boto3 } from './tools/boto3.mjs';
import { conformance } from './tools/conformance.mjs';
import { helm } from './tools/helm.mjs';
import { nodePostgres } from './tools/node-postgres.mjs';
import { oapiCodegen } from './tools/oapi-codegen.mjs';
import { ogen } from './tools/ogen.mjs';
import { openapiPythonClient } from './tools/openapi-python-client.mjs';
import { openapiTypescript } from './tools/openapi-typescript.mjs';
import { pgjdbc } from './tools/pgjdbc.mjs';
import { provider } from './tools/provider.mjs';
import { psycopg } from './tools/psycopg.mjs';
import { pythonSdkNewest, pythonSdkOlder } from './tools/python-sdk.mjs';
import { redocly } from './tools/redocly.mjs';
import { spectral } from './tools/spectral.mjs';
import { suite } from './tools/suite.mjs';

/** @type {readonly import('./tool.d.ts').Tool[]} */
export const TOOLS = [
  openapiTypescript,
  oapiCodegen,
  ogen,
  openapiPythonClient,
  redocly,
  spectral,
  pythonSdkOlder,
  pythonSdkNewest,
  psycopg,
  asyncpg,
  nodePostgres,
  pgjdbc,
  awsCli,
  boto3,
  helm,
  conformance,
  provider,
  suite,
];
