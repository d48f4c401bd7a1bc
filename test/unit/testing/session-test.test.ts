/** @module-tag slow */

import { expect, onTestFinished, test } from 'vitest'
import { createSessionTest, type RecordedCall } from '../../../renderer/model/traffic/session-test.ts'
import * as kit from '../../../testing/index.ts'
import { runPluginTest } from '../../support/program/plugin-test.ts'

const call = (part: Partial<RecordedCall> = {}): RecordedCall => ({
  method: 'GET',
  path: '/ui-state',
  startedAt: 1_000,
  isRead: true,
  status: 200,
  requestBody: null,
  responseJson: '{"state":{"topicid":"S"}}',
  responseProblem: null,
  caller: null,
  ...part,
})

/** Makes the calls of the sample panel, and returns them as recorded. */
async function recordPractice(): Promise<RecordedCall[]> {
  const host = kit.hostApi({ writes: 'allow', plugin: 'app.demo.practice' })
  onTestFinished(async () => void (await host.close()))
  const { state } = (await host.api('/ui-state')) as { state: { topicid: string; focusnoteid: string } }
  await host.api(`/study-sets/${state.topicid}/tree?limit=5`)
  await host.api('/immersive/template')
  const body = JSON.stringify({ noteIds: [state.focusnoteid] })
  await host.api('/notes/batch-get', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await host.api('/study-sets/NO-SUCH/note-palette')
  const calls = await host.calls()
  return calls.map(({ at, page, answer }) => ({
    method: page.method,
    path: page.path,
    startedAt: at,
    isRead: true,
    status: answer?.status ?? null,
    requestBody: page.body,
    responseJson: answer?.body ?? null,
    responseProblem: null,
    caller: null,
  }))
}

test('a test from a recorded session of the sample panel passes at once', async () => {
  const calls = await recordPractice()
  expect(calls).toHaveLength(5)
  const output = runPluginTest('session.test.js', createSessionTest('vitest', calls, null))
  expect(output).toMatch(/Tests +5 passed/)
})

test('a spec for Playwright expects the calls of the load, and names the later ones', () => {
  const source = createSessionTest(
    'playwright',
    [
      call(),
      call({ path: '/immersive/template', startedAt: 1_200 }),
      call({ method: 'POST', path: '/notes/N/title', isRead: false, startedAt: 9_000, requestBody: '{"text":"x"}' }),
    ],
    { kind: 'folder', path: '/home/me/panel' },
  )
  expect(source).toContain("startPanel({ panel: '/home/me/panel', overrides, writes: 'allow' })")
  expect(source).toContain("      'GET /immersive/template',\n    ]),")
  expect(source).toContain('  // POST /notes/N/title\n')
  expect(source).toContain("match: { method: 'POST', path: '/notes/N/title' }")
})

test('a spec for a sample panel finds it in the package', () => {
  const source = createSessionTest('playwright', [call()], { kind: 'sample', name: 'practice-mistake' })
  expect(source).toContain("path.join(path.dirname(packageFile), 'resources/demo/panels/practice')")
  expect(source).toContain('startPanel({ panel: panelFolder, overrides })')
})

test('a spec begins with the start page of its panel', () => {
  const createSource = (panel: Parameters<typeof createSessionTest>[2]) =>
    createSessionTest('playwright', [call()], panel)
  const withStart = (start: string): string => `  await page.goto(new URL('${start}', panel.url).href)\n`
  expect(createSource({ kind: 'sample', name: 'practice-mistake' })).toContain(withStart('/?mistake'))
  expect(createSource({ kind: 'folder', path: '/home/me/panel', start: '/cards.html' })).toContain(
    withStart('/cards.html'),
  )
  expect(createSource({ kind: 'sample', name: 'practice' })).toContain('  await page.goto(panel.url)\n')
})

test('only the last of several calls of a path is repeated, and what was not kept whole is named', () => {
  const source = createSessionTest(
    'vitest',
    [
      call({ responseJson: '{"polls": 1}' }),
      call({ responseJson: '{"polls": 2}', startedAt: 2_000 }),
      call({ path: '/guide\n', responseJson: null, responseProblem: 'empty' }),
    ],
    null,
  )
  expect(source).not.toContain('"polls": 1')
  expect(source).toContain('"polls": 2')
  expect(source).toContain('// Left out, because the response has no body: GET /guide \n')
  expect(source).toContain('// Left out, because a later call is the same: GET /ui-state\n')
  expect(source.match(/^test\(/gm)).toHaveLength(1)
})

test('a rule with more parameters precedes the rules that would match its call, too', () => {
  const calls = [call({ path: '/search' }), call({ path: '/search?q=a', startedAt: 2_000, responseJson: '{"a":1}' })]
  const source = createSessionTest('vitest', calls, null)
  expect(source.indexOf(`query: {"q":"a"}`)).toBeLessThan(source.indexOf("path: '/search' }"))
  expect(source).toContain("host.api('/search')\n  expect(result).toEqual(overrides[1].answer.body)")
})

test('calls of one path with several bodies are told apart by the body', () => {
  const post = { method: 'POST', path: '/notes/batch-get' }
  const calls = ['{"noteIds":["A"]}', '{"noteIds":["B"]}', '{ "noteIds": ["A"] }'].map((requestBody, index) =>
    call({ ...post, requestBody, startedAt: index, responseJson: `{"answer":${index}}` }),
  )
  const source = createSessionTest('vitest', calls, null)
  expect(source).toContain(`body: [{ at: '', equals: {"noteIds":["B"]} }] }`)
  expect(source).toContain(`body: [{ at: '', equals: {"noteIds":["A"]} }] }`)
  expect(source.match(/^test\(/gm)).toHaveLength(2)
  expect(source.match(/Left out, because a later call is the same: POST/g)).toHaveLength(1)
  const inexact = createSessionTest('vitest', [...calls, call({ ...post, requestBody: 'x', startedAt: 9 })], null)
  expect(inexact.match(/because no rule can tell its body from that of a later call: POST/g)).toHaveLength(3)
})

test('a member or a parameter named __proto__ sets no prototype', () => {
  const source = createSessionTest(
    'vitest',
    [call({ responseJson: '{"a":{"__proto__":{"b":1}}}' }), call({ path: '/search?__proto__=1&q=2' })],
    null,
  )
  expect(source).toContain(`body: '{"a":{"__proto__":{"b":1}}}'`)
  expect(source).toContain('because no rule can have a parameter of this name: GET /search?__proto__=1&q=2\n')
})

test('a spec for an unknown panel asks for it', () => {
  const source = createSessionTest('playwright', [call()], null)
  expect(source).toContain(
    "  // Name the folder or the address of the panel here.\n  const panel = await startPanel({ panel: './panel'",
  )
})

test('numbers that JavaScript would round stay as they were recorded', () => {
  const source = createSessionTest('vitest', [call({ responseJson: '{"revision": 12345678901234567890}' })], null)
  expect(source).toContain(`body: '{"revision": 12345678901234567890}'`)
  expect(source).toContain('toEqual(JSON.parse(overrides[0].answer.body))')
})

test('texts of the recording cannot leave their strings', () => {
  const path = "/notes/a'+globalThis.x+'\n?q=';"
  const source = createSessionTest('vitest', [call({ path, responseJson: `{"t":"'\\n${'`'}</script>"}` })], {
    kind: 'folder',
    path: "./it's",
  })
  expect(() => new Function(source.replaceAll(/^import .*$/gm, ''))).not.toThrow()
  expect(source).toContain(JSON.stringify(path))
})
