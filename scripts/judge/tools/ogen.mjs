// @ts-check
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fetchDocument } from '../document.mjs';
import { goProgram } from '../packages.mjs';

const CLIENT_ALONE = `
generator:
  features:
    disable_all: true
    enable:
      - paths/client
`;

const PROGRAM = `package main

import (
	"context"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	"judge/api"
)

type key struct{}

func (key) APIKey(context.Context, api.OperationName) (api.APIKey, error) {
	return api.APIKey{APIKey: "APIKey " + os.Getenv("API_TOKEN")}, nil
}

func (key) Bearer(context.Context, api.OperationName) (api.Bearer, error) {
	return api.Bearer{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	client, err := api.NewClient(os.Getenv("API_URL"), key{})
	if err != nil {
		panic(err)
	}
	answer, err := client.ListProjects(context.Background(), api.ListProjectsParams{})
	if err != nil {
		panic(err)
	}
	list, isList := answer.(*api.ProjectListHeaders)
	if !isList || len(list.Response.Results) == 0 || list.Response.Results[0].Name == "" {
		panic("error: no projects")
	}
}
`;

/** @type {import('../tool.d.ts').Tool} */
export const ogen = {
  name: 'ogen',
  version: '1.24.0',
  does: 'a Go client of `/openapi-3.0.json`, which compiles (in some minutes) and lists projects',
  needs: ['go'],
  async run(context) {
    const { work, run, server } = context;
    const program = await goProgram(context, 'github.com/ogen-go/ogen/cmd/ogen@v1.24.0');
    await fetchDocument(server, '/openapi-3.0.json', path.join(work, 'openapi.json'));
    writeFileSync(path.join(work, 'ogen.yml'), CLIENT_ALONE);
    writeFileSync(path.join(work, 'main.go'), PROGRAM);
    await run('go', ['mod', 'init', 'judge']);
    await run(program, ['--config', 'ogen.yml', '--target', 'api', '--package', 'api', 'openapi.json']);
    await run('go', ['get', 'github.com/ogen-go/ogen@v1.24.0']);
    await run('go', ['mod', 'tidy']);
    // A client of all operations is a million lines: without optimization it needs a third of the memory.
    await run('go', ['build', '-gcflags=judge/api=-N -l', '-o', 'client', '.']);
    await run(path.join(work, 'client'), []);
    return undefined;
  },
};
