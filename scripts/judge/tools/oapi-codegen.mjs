// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fetchDocument } from '../document.mjs';
import { goProgram } from '../packages.mjs';

const PROGRAM = `package main

import (
	"context"
	"net/http"
	"os"

	"judge/api"
)

func main() {
	key := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "APIKey "+os.Getenv("API_TOKEN"))
		return nil
	}
	client, err := api.NewClientWithResponses(os.Getenv("API_URL"), api.WithRequestEditorFn(key))
	if err != nil {
		panic(err)
	}
	answer, err := client.ListProjectsWithResponse(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	if answer.JSON200 == nil || len(answer.JSON200.Results) == 0 || answer.JSON200.Results[0].Name == "" {
		panic("error: no projects: " + string(answer.Body))
	}
}
`;

/** @type {import('../tool.d.ts').Tool} */
export const oapiCodegen = {
  name: 'oapi-codegen',
  version: '2.8.2',
  does: 'a Go client of `/openapi-3.0.json`, which compiles and lists projects',
  needs: ['go'],
  async run(context) {
    const { work, run, server } = context;
    const module = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
    const program = await goProgram(context, `${module}@v2.8.2`);
    await fetchDocument(server, '/openapi-3.0.json', path.join(work, 'openapi.json'));
    mkdirSync(path.join(work, 'api'));
    const output = path.join('api', 'api.go');
    await run(program, ['-package', 'api', '-generate', 'types,client', '-o', output, 'openapi.json']);
    writeFileSync(path.join(work, 'main.go'), PROGRAM);
    await run('go', ['mod', 'init', 'judge']);
    await run('go', ['get', 'github.com/oapi-codegen/runtime@v1.9.0']);
    await run('go', ['mod', 'tidy']);
    await run('go', ['vet', './...']);
    await run('go', ['run', '.']);
    return undefined;
  },
};
