import { inspectJson } from '../../../shared/json/inspection.ts'
import { SAMPLE_PANELS, type PanelSource } from '../../../shared/panel/panel.ts'
import { parseQueryParameters, splitQuery, toLiteralTemplate, toSortedJson } from '../../../shared/panel/call-match.ts'

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
  /** The whole body; null if a test cannot repeat it. */
  readonly responseJson: string | null
  /** Why `responseJson` is null. */
  readonly responseProblem: ResponseProblem | null
  /** `caller` of the exchange; null if it has none. */
  readonly caller: string | null
}

const responseProblems = {
  'no-response': 'there was no response',
  incomplete: 'not the whole response was kept',
  empty: 'the response has no body',
  'too-long': 'the response is too long',
  'not-json': 'the response is no JSON',
} as const
export type ResponseProblem = keyof typeof responseProblems

/** Longer responses are not copied into a test. */
const MAX_BODY_CHARS = 200_000
/** A page that loads makes its calls without a longer pause; later ones follow an action. */
const MAX_LOAD_PAUSE_MS = 1_500

interface RepeatedCall extends RecordedCall {
  /** True if a call with another body has the same method and path. */
  readonly isMatchedByBody: boolean
}

/** The calls of a test: the last of each method, path and body. */
interface TestPlan {
  /** Calls that get their recorded response, in the order of the session. */
  readonly repeated: readonly RepeatedCall[]
  /** Calls with more parameters come first, because a rule also matches calls with further ones. */
  readonly rules: readonly RepeatedCall[]
  readonly leftOut: readonly { readonly call: RecordedCall; readonly reason: string }[]
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
  const leftOut: { call: RecordedCall; reason: string }[] = []
  const repeated: RepeatedCall[] = []
  const groups = new Map<string, RecordedCall[]>()
  for (const call of calls.toSorted((left, right) => left.startedAt - right.startedAt)) {
    const obstacle = findObstacle(call)
    if (obstacle !== null) {
      leftOut.push({ call, reason: obstacle })
      continue
    }
    const key = `${call.method} ${call.path}`
    const group = groups.get(key)
    if (group) group.push(call)
    else groups.set(key, [call])
  }
  for (const group of groups.values()) {
    const hasSeveralBodies = new Set(group.map(({ requestBody }) => requestBody)).size > 1
    const isMatchedByBody = hasSeveralBodies && group.every(({ requestBody }) => isExactJson(requestBody))
    const getKey = ({ requestBody }: RecordedCall): string =>
      isMatchedByBody ? toSortedJson(JSON.parse(requestBody ?? '')) : ''
    const lastCalls = new Map(group.map((call) => [getKey(call), call]))
    for (const call of group)
      if (lastCalls.get(getKey(call)) === call) repeated.push({ ...call, isMatchedByBody })
      else {
        const isAlike = isMatchedByBody || !hasSeveralBodies
        const reason = isAlike ? 'a later call is the same' : 'no rule can tell its body from that of a later call'
        leftOut.push({ call, reason })
      }
  }
  repeated.sort((left, right) => left.startedAt - right.startedAt)
  return {
    repeated,
    rules: repeated.toSorted((left, right) => countParameters(right) - countParameters(left)),
    leftOut,
    hasWrites: calls.some(({ isRead }) => !isRead),
  }
}

/** Returns why no override can repeat the response to a call; null if one can. */
function findObstacle({ path, status, responseJson, responseProblem }: RecordedCall): string | null {
  if (responseJson === null) return responseProblem ? responseProblems[responseProblem] : 'no whole JSON was recorded'
  if (status === null) return responseProblems['no-response']
  if (status < 200) return `an override cannot have the status ${status}`
  if (responseJson.length > MAX_BODY_CHARS) return responseProblems['too-long']
  // In an object of JavaScript, this name would set the prototype.
  const hasProto = parseQueryParameters(splitQuery(path)[1]).some(([name]) => name === '__proto__')
  return hasProto ? 'no rule can have a parameter of this name' : null
}

const countParameters = ({ path }: RecordedCall): number => parseQueryParameters(splitQuery(path)[1]).length

interface PanelExpressions {
  /** The lines that find the panel. The package holds the samples. */
  readonly lines: readonly string[]
  readonly panel: string
  /** The address with which the page begins. */
  readonly url: string
}

function describePanel(source: PanelSource | null): PanelExpressions {
  const toUrl = (start = '/'): string => (start === '/' ? 'panel.url' : `new URL(${quote(start)}, panel.url).href`)
  if (source === null) return { lines: [], panel: quote('./panel'), url: toUrl() }
  if (source.kind === 'server') return { lines: [], panel: quote(source.url), url: toUrl() }
  if (source.kind === 'folder') return { lines: [], panel: quote(source.path), url: toUrl(source.start) }
  const { folder, start } = SAMPLE_PANELS[source.name]
  return {
    url: toUrl(start),
    lines: [
      "const packageFile = createRequire(import.meta.url).resolve('bridge-inspector/package.json')",
      `const panelFolder = path.join(path.dirname(packageFile), ${quote(`resources/demo/panels/${folder}`)})`,
      '',
    ],
    panel: 'panelFolder',
  }
}

function createPlaywrightLines(plan: TestPlan, source: PanelSource | null): string[] {
  const { lines, panel, url } = describePanel(source)
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
    ...(source === null ? ['  // Name the folder or the address of the panel here.'] : []),
    `  const panel = await startPanel({ panel: ${panel}, overrides${plan.hasWrites ? ", writes: 'allow'" : ''} })`,
    `  await page.goto(${url})`,
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
    '  // If it is expected to be [], the test also fails when the panel breaks a rule of the contract:',
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
      ({ call: { method, path }, reason }) => `// Left out, because ${reason}: ${toComment(`${method} ${path}`)}`,
    ),
    `const ${declaration} = [`,
    ...rules.flatMap((call) => {
      const { method, status } = call
      const [path, query] = splitQuery(call.path)
      const parameters = Object.fromEntries(parseQueryParameters(query))
      const match = `{ method: ${quote(method)}, path: ${quote(toLiteralTemplate(path))}${
        query === '' ? '' : `, query: ${JSON.stringify(parameters)}`
      }${call.isMatchedByBody ? `, body: [{ at: '', equals: ${JSON.stringify(JSON.parse(call.requestBody ?? ''))} }]` : ''} }`
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

/** A body with numbers that would be rounded, or with repeated names, stays text. */
function formatBody(call: RecordedCall): string {
  const text = call.responseJson ?? 'null'
  if (!isExact(call)) return quote(text)
  return JSON.stringify(JSON.parse(text), null, 2).replaceAll('\n', '\n    ')
}

// A text as the body of a rule is sent as it is, so a JSON string stays JSON.
const isExact = ({ responseJson }: RecordedCall): boolean =>
  isExactJson(responseJson) && typeof JSON.parse(responseJson ?? '') !== 'string'

function isExactJson(text: string | null): boolean {
  if (text === null) return false
  const { findings, value, isValid } = inspectText(text)
  return (
    isValid &&
    !findings.some(({ kind }) => kind === 'unsafe-number' || kind === 'duplicate-key') &&
    !hasProtoMember(value)
  )
}

/** In an object of JavaScript source, `__proto__` is no member but sets the prototype. */
const hasProtoMember = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoMember))
const inspectText = (text: string) => inspectJson(new TextEncoder().encode(text))

/** Text as a string of JavaScript. */
const quote = (text: string): string => (/['\\\n\r\u2028\u2029]/.test(text) ? JSON.stringify(text) : `'${text}'`)
/** A recorded path could end a comment line. */
const toComment = (text: string): string => text.replace(/[\n\r\u2028\u2029]/g, ' ')
