import { inspectJson } from '../../../shared/json/inspection.ts'
import type { PanelSource } from '../../../shared/panel/panel.ts'
import { parseQueryParameters, toLiteralTemplate } from '../../../shared/panel/call-match.ts'

export const sessionTestKinds = ['playwright', 'vitest'] as const
export type SessionTestKind = (typeof sessionTestKinds)[number]

/** A recorded call of which a test is made. It holds no token, because the store masks tokens. */
export interface RecordedCall {
  readonly method: string
  /** Relative to the base URL, with the query. */
  readonly path: string
  readonly startedAt: number
  readonly isRead: boolean
  /** Null if there was no response. */
  readonly status: number | null
  /** Null if the call had no body, or it is no text. */
  readonly requestBody: string | null
  /** The whole body; null if it is no JSON, or a part of it was not kept. */
  readonly responseJson: string | null
}

/** Longer responses are not copied into a test. */
const MAX_BODY_CHARS = 200_000
/** A page that loads makes its calls without a longer pause; later ones follow an action. */
const MAX_LOAD_PAUSE_MS = 1_500

/** The calls of a test: the last of each method and path, because no override matches a body. */
interface TestPlan {
  /** Calls that get their recorded response, in the order of the session. */
  readonly repeated: readonly RecordedCall[]
  /**
   * The same calls in the order of their rules: those with more parameters come first, because a
   * rule also matches calls with further ones.
   */
  readonly rules: readonly RecordedCall[]
  /** Calls whose response was not kept whole, is too long, or is no JSON. */
  readonly leftOut: readonly RecordedCall[]
  readonly hasWrites: boolean
}

/**
 * Writes the source of a test that repeats recorded calls with the kit for tests. Overrides give
 * the recorded responses, so that it passes without the host of the recording.
 */
export function createSessionTest(
  kind: SessionTestKind,
  calls: readonly RecordedCall[],
  panel: PanelSource | null,
): string {
  const plan = planTest(calls)
  const lines = kind === 'playwright' ? createPlaywrightLines(plan, panel) : createVitestLines(plan)
  return `${lines.join('\n')}\n`
}

function planTest(calls: readonly RecordedCall[]): TestPlan {
  const lastCalls = new Map<string, RecordedCall>()
  for (const call of calls.toSorted((left, right) => left.startedAt - right.startedAt)) {
    const key = `${call.method} ${call.path}`
    lastCalls.delete(key)
    lastCalls.set(key, call)
  }
  const isRepeatable = ({ status, responseJson }: RecordedCall): boolean =>
    status !== null && status >= 200 && responseJson !== null && responseJson.length <= MAX_BODY_CHARS
  const all = [...lastCalls.values()]
  const repeated = all.filter(isRepeatable)
  return {
    repeated,
    rules: repeated.toSorted((left, right) => countParameters(right) - countParameters(left)),
    leftOut: all.filter((call) => !isRepeatable(call)),
    hasWrites: all.some(({ isRead }) => !isRead),
  }
}

const countParameters = ({ path }: RecordedCall): number => parseQueryParameters(splitQuery(path)[1] ?? '').length

/** The lines that find the panel, and the expression for it. The package holds the samples. */
function describePanel(source: PanelSource | null): { readonly lines: readonly string[]; readonly panel: string } {
  if (source?.kind !== 'sample')
    return {
      lines: [],
      panel: quote(source === null ? './panel' : source.kind === 'folder' ? source.path : source.url),
    }
  const folder = source.name === 'practice-mistake' ? 'practice' : source.name
  return {
    lines: [
      "const packageFile = createRequire(import.meta.url).resolve('bridge-inspector/package.json')",
      `const panelFolder = path.join(path.dirname(packageFile), ${quote(`resources/demo/panels/${folder}`)})`,
      '',
    ],
    panel: 'panelFolder',
  }
}

function createPlaywrightLines(plan: TestPlan, source: PanelSource | null): string[] {
  const { lines, panel } = describePanel(source)
  const [loadCalls, laterCalls] = splitAtPause(plan.repeated)
  return [
    ...(lines.length > 0 ? ["import { createRequire } from 'node:module'", "import path from 'node:path'"] : []),
    "import { expect, test } from '@playwright/test'",
    "import { startPanel, type Override } from 'bridge-inspector/testing'",
    '',
    ...lines,
    ...createOverrideLines(plan, 'overrides: Override[]'),
    '',
    "test('calls the host as in the recorded session', async ({ page }) => {",
    `  const panel = await startPanel({ panel: ${panel}, overrides${plan.hasWrites ? ", writes: 'allow'" : ''} })`,
    '  await page.goto(panel.url)',
    '  const listCalls = async () => (await panel.calls()).map((call) => `${call.page.method} ${call.page.path}`)',
    '  await expect.poll(listCalls).toEqual(',
    '    expect.arrayContaining([',
    ...loadCalls.map((call) => `      ${quote(`${call.method} ${call.path}`)},`),
    '    ]),',
    '  )',
    ...(laterCalls.length === 0
      ? []
      : [
          '  // These calls came later. Add the steps that lead to them:',
          ...laterCalls.map(({ method, path }) => `  // ${toComment(`${method} ${path}`)}`),
        ]),
    '  // With this line, the test also fails when the panel breaks a rule of the contract:',
    '  // expect(await panel.findings()).toEqual([])',
    '  await panel.close()',
    '})',
  ]
}

function splitAtPause(calls: readonly RecordedCall[]): readonly [RecordedCall[], RecordedCall[]] {
  const pauseIndex = calls.findIndex(
    ({ startedAt }, index) => index > 0 && startedAt - (calls[index - 1]?.startedAt ?? 0) > MAX_LOAD_PAUSE_MS,
  )
  const end = pauseIndex < 0 ? calls.length : pauseIndex
  return [calls.slice(0, end), calls.slice(end)]
}

function createVitestLines(plan: TestPlan): string[] {
  return [
    "import { afterAll, expect, test } from 'vitest'",
    "import { hostApi } from 'bridge-inspector/testing'",
    '',
    ...createOverrideLines(plan, 'overrides'),
    '',
    `const host = hostApi({ overrides${plan.hasWrites ? ", writes: 'allow'" : ''} })`,
    'afterAll(() => host.close())',
    ...plan.repeated.flatMap((call) => ['', ...createCallLines(call, plan.rules.indexOf(call))]),
  ]
}

function createCallLines(call: RecordedCall, index: number): string[] {
  const { method, path, requestBody } = call
  const options =
    method === 'GET'
      ? ''
      : `, { method: ${quote(method)}${requestBody === null ? '' : `, body: ${quote(requestBody)}`} }`
  const body = `overrides[${index}].answer.body`
  return [
    `test(${quote(`${method} ${path}`)}, async () => {`,
    `  const result = await host.api(${quote(path)}${options})`,
    `  expect(result).toEqual(${isExact(call) ? body : `JSON.parse(${body})`})`,
    '})',
  ]
}

function createOverrideLines({ rules, leftOut }: TestPlan, declaration: string): string[] {
  return [
    '// The recorded answers, which stand in for the host.',
    ...leftOut.map(
      ({ method, path }) => `// Left out, because no whole JSON was recorded: ${toComment(`${method} ${path}`)}`,
    ),
    `const ${declaration} = [`,
    ...rules.flatMap((call) => {
      const { method, status } = call
      const [path = '', query = ''] = splitQuery(call.path)
      const parameters = Object.fromEntries(parseQueryParameters(query))
      const match = `{ method: ${quote(method)}, path: ${quote(toLiteralTemplate(path))}${
        query === '' ? '' : `, query: ${JSON.stringify(parameters)}`
      } }`
      return [
        '  {',
        `    match: ${match},`,
        `    answer: { kind: 'canned', status: ${status ?? 200}, body: ${formatBody(call)} },`,
        '  },',
      ]
    }),
    ']',
  ]
}

const splitQuery = (path: string): string[] => {
  const queryStart = path.indexOf('?')
  return queryStart < 0 ? [path, ''] : [path.slice(0, queryStart), path.slice(queryStart + 1)]
}

/** A body with numbers that would be rounded, or with repeated names, stays text. */
function formatBody(call: RecordedCall): string {
  const text = call.responseJson ?? 'null'
  if (!isExact(call)) return quote(text)
  return JSON.stringify(JSON.parse(text), null, 2).replaceAll('\n', '\n    ')
}

const isExact = ({ responseJson }: RecordedCall): boolean => {
  const { findings, value } = inspectText(responseJson ?? 'null')
  // A text as the body of a rule is sent as it is, so a JSON string stays JSON.
  return typeof value !== 'string' && !findings.some(({ kind }) => kind === 'unsafe-number' || kind === 'duplicate-key')
}
const inspectText = (text: string) => inspectJson(new TextEncoder().encode(text))

/** Text as a string of JavaScript. */
const quote = (text: string): string => (/['\\\n\r\u2028\u2029]/.test(text) ? JSON.stringify(text) : `'${text}'`)
/** A recorded path could end a comment line. */
const toComment = (text: string): string => text.replace(/[\n\r\u2028\u2029]/g, ' ')
