/** @module-tag slow */

import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { bridgeTypesPath, createBridgeTypes } from '../../../scripts/lib/bridge-types.mjs'
import { root } from '../../../scripts/lib/paths.mjs'
import { knownErrors } from '../../../shared/bridge/errors.ts'
import { listErrorCodes } from '../../../shared/bridge/endpoint-errors.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'

/** Compiles files as an author of a panel would, and returns what the compiler reports. */
function compile(files: readonly string[], options: ts.CompilerOptions = {}): readonly string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    skipLibCheck: false,
    ...options,
  })
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start).line ?? -1) + 1
    return `${path.basename(file?.fileName ?? '')}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

describe('the type declarations of the contract', () => {
  test('are those that npm run docs writes', async () => {
    const source = readFileSync(bridgeTypesPath, 'utf8')
    expect(await createBridgeTypes(source)).toBe(source)
  })

  test('have every route of the contract', () => {
    const source = readFileSync(bridgeTypesPath, 'utf8')
    for (const { method, path: template } of endpoints) expect(source).toContain(`'${method} ${template}': {`)
  })

  test('check paths, options, bodies, responses and error codes', () => {
    // Each mistake in the file stands below `@ts-expect-error`, which is an error without one.
    expect(compile([path.join(import.meta.dirname, 'bridge-types.fixture.mts')])).toEqual([])
  }, 60_000)

  test('check the sample panel', () => {
    const sample = path.join(root, 'resources/demo/panels/practice/main.js')
    expect(compile([bridgeTypesPath, sample], { allowJs: true, checkJs: true, noImplicitAny: false })).toEqual([])
  }, 60_000)
})

describe('the error codes of an endpoint', () => {
  test('are codes of the contract', () => {
    const codes = new Set(endpoints.flatMap((endpoint) => listErrorCodes(endpoint)))
    expect([...codes].filter((code) => !(code in knownErrors))).toEqual([])
    // A panel gets IN_PROCESS_NOT_ALLOWED wherever its allow-list ends, so it is of no endpoint. No
    // document names the codes of an unknown card or document; they are those of the demo host.
    expect(
      Object.keys(knownErrors)
        .filter((code) => !codes.has(code))
        .sort(),
    ).toEqual(['DOCUMENT_NOT_FOUND', 'FORBIDDEN_ORIGIN', 'IN_PROCESS_NOT_ALLOWED', 'NOTE_NOT_FOUND'])
  })
})
