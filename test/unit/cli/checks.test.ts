/** @module-tag slow */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createConnectionFlags,
  runCommandLine,
  startProgram,
  startProgramAtTerminal,
  waitForExit,
} from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { startPanel } from '../../../testing/index.ts'
import { breakRule, FAULTY_PLACE, FAULTY_PLUGIN } from '../../support/services/faulty-panel.ts'

async function startHost() {
  const { host } = await startDemo({ nodes: 50 })
  onTestFinished(() => host.close())
  return { host, flags: createConnectionFlags(host) }
}

interface SavedRequest {
  readonly name?: string
  readonly method?: string
  readonly path: string
  readonly body?: string
  readonly assertions?: readonly object[]
  readonly takes?: readonly object[]
}

function saveCollection(requests: readonly SavedRequest[]): string {
  const file = path.join(createTempDir(), 'mine.json')
  const filled = requests.map((request) => ({ name: request.path, method: 'GET', body: null, ...request }))
  writeFileSync(file, JSON.stringify({ name: 'Mine <1>', variables: {}, requests: filled }))
  return file
}

describe('run', () => {
  test('sends the requests of a collection in order, with values of earlier responses', async () => {
    const { flags } = await startHost()
    const file = saveCollection([
      { path: '/ui-state', takes: [{ variable: 'topic', pointer: '/state/topicid' }] },
      { path: '/study-sets/{{topic}}/{{view}}?limit=1', assertions: [{ kind: 'status', equals: 200 }] },
    ])
    const run = await runCommandLine(['run', file, '--var', 'view=tree', ...flags])
    expect([run.code, run.stdout.toString().split('\n').at(-2)]).toEqual([0, 'Mine <1>: 2 passed, 0 failed'])
  })

  test('rounds durations for people, and has them exactly in JSON', async () => {
    const { flags } = await startHost()
    const json = path.join(createTempDir(), 'run.json')
    const words = ['run', saveCollection([{ path: '/status' }]), '--reporter', `text,json=${json}`]
    const { stdout } = await runCommandLine([...words, ...flags])
    const { requests } = JSON.parse(readFileSync(json, 'utf8')) as { requests: { durationMs: number }[] }
    const durationMs = requests[0]?.durationMs ?? 0
    expect(Number.isInteger(durationMs)).toBe(false)
    expect(stdout.toString()).toContain(`  200  ${Math.round(durationMs)} ms\n`)

    const text = await runCommandLine(['status', ...flags])
    expect(text.stdout.toString()).toMatch(/^ {2}latencyMs +\d+$/m)
    const status = await runCommandLine(['status', '--json', ...flags])
    const { latencyMs } = JSON.parse(status.stdout.toString()) as { latencyMs: number }
    expect(Number.isInteger(latencyMs)).toBe(false)
  })

  test('says that the host refused a read, and not that it was not sent', async () => {
    const { host, flags } = await startHost()
    const refusedReads = [{ path: '/absent' }, { path: '/documents/absent/excerpts' }]
    const run = await runCommandLine(['run', saveCollection(refusedReads), ...flags])
    const text = run.stdout.toString() + run.stderr
    expect([run.code, text.match(/the status is \d+/g)]).toEqual([11, ['the status is 404', 'the status is 404']])
    const call = await runCommandLine(['call', 'GET', '/documents/absent/excerpts', ...flags])
    expect([call.code, call.stderr]).toEqual([3, expect.stringMatching(/^[A-Z_]+_NOT_FOUND: /)])
    const asPanel = await runCommandLine(['call', 'GET', '/absent', '--as-panel', 'a.b', '--json', ...flags])
    expect(JSON.parse(asPanel.stdout.toString())).toMatchObject({ decision: 'not-allowed' })
    for (const output of [text, call.stderr]) expect(output).not.toMatch(/not[ -]sent/i)
    for (const { path: readPath } of refusedReads)
      expect(host.log.map((entry) => entry.path)).toContain(`/bridge/v1${readPath}`)
  })

  test('ends with 11 if a request fails, and with --bail at the first one', async () => {
    const { flags } = await startHost()
    const requests = [
      { path: '/status' },
      { name: 'a & b', path: '/status', assertions: [{ kind: 'equals', pointer: '/app', value: 'Other' }] },
      { path: '/capabilities' },
    ]
    const file = saveCollection(requests)
    const text = await runCommandLine(['run', file, ...flags])
    expect([text.code, text.stdout.toString()]).toEqual([11, expect.stringContaining('2 passed, 1 failed\n')])
    expect(text.stdout.toString()).toMatch(/^passed {2}\/status {2}GET \/status {2}200 {2}\d+ ms$/m)
    const json = await runCommandLine(['run', file, '--bail', '--json', ...flags])
    expect(JSON.parse(json.stdout.toString())).toMatchObject({
      ...{ passed: 1, failed: 1, skipped: 1 },
      requests: [
        { outcome: 'passed' },
        { outcome: 'failed', assertions: [{ outcome: 'failed' }] },
        { outcome: 'skipped' },
      ],
    })
    const report = path.join(createTempDir(), 'report.xml')
    const words = ['run', file, '--bail', '--reporter', 'junit', '-o', report]
    expect((await runCommandLine([...words, ...flags])).code).toBe(11)
    const xml = readFileSync(report, 'utf8')
    expect(xml).toContain('<testsuite name="Mine &lt;1&gt;" tests="3" failures="1" skipped="1"')
    expect(xml).toMatch(/name="a &amp; b" time="[\d.]+"><failure message="1 of its assertions did not pass">/)
  })

  test('writes several reports at once, which show the address as sent', async () => {
    const { flags } = await startHost()
    const folder = createTempDir()
    const name = '<b onclick="x">\u0001&'
    const file = saveCollection([
      { name, path: '/study-sets/{{topic}}/tree?limit=1', assertions: [{ kind: 'status', equals: 204 }] },
    ])
    const [xml, html] = [path.join(folder, 'a.xml'), path.join(folder, 'a.html')]
    const words = ['run', file, '--var', 'topic=a/b', '--reporter', `junit=${xml},html=${html}`, '--reporter', 'github']
    const { code, stdout } = await runCommandLine([...words, ...flags])
    expect(code).toBe(11)
    const sentLine = 'GET /study-sets/a%2Fb/tree?limit=1'
    expect(stdout.toString()).toMatch(/^::error title=<b onclick="x">\\u0001&::GET \/study-sets\/a%252Fb\/tree.*\n$/)
    expect(readFileSync(xml, 'utf8')).toContain(`<system-out>${sentLine}</system-out>`)
    const page = readFileSync(html, 'utf8')
    expect(page).toContain(`<code>${sentLine}</code>`)
    expect(page).toContain('&lt;b onclick=&quot;x&quot;&gt;\\u0001&amp;')
    expect(page).not.toMatch(/<script|<b |(?:src|href)=|[\u0000-\u0008]/)
  })

  test('sends the collection once for each data row', async () => {
    const { host, flags } = await startHost()
    const folder = createTempDir()
    const file = saveCollection([{ path: '/search?q={{word}}' }])
    const csv = path.join(folder, 'words.csv')
    writeFileSync(csv, '\uFEFFword,other\r\n"a, ""b"" c",1\r\n\r\nc,2\r\n')
    const fromCsv = await runCommandLine(['run', file, '--data', csv, '--json', ...flags])
    expect([fromCsv.code, JSON.parse(fromCsv.stdout.toString())]).toMatchObject([
      0,
      {
        rows: [{ number: 1, variables: { word: 'a, "b" c' } }, { number: 2 }],
        requests: [
          { row: 1, sentPath: '/search?q=a%2C%20%22b%22%20c' },
          { row: 2, sentPath: '/search?q=c' },
        ],
      },
    ])
    const json = path.join(folder, 'words.json')
    writeFileSync(json, '[{"word": 5}, {"other": true}]')
    const fromJson = await runCommandLine(['run', file, '--data', json, ...flags])
    expect([fromJson.code, fromJson.stdout.toString()]).toEqual([11, expect.stringContaining('1 passed, 1 failed')])
    expect(fromJson.stdout.toString()).toContain('a variable has no value: word')
    const countBefore = host.log.length
    const refusals = {
      'a.csv': 'a,b\n1\n',
      'b.csv': 'a b\n1\n',
      'c.json': '[{"a":12345678901234567890}]',
      'd.csv': 'a\n',
    }
    const reasons = ['line 2 has 1 cells', 'line 1: "a b"', '/0/a has more digits', 'it has no rows']
    for (const [index, [fileName, text]] of Object.entries(refusals).entries()) {
      writeFileSync(path.join(folder, fileName), text)
      const refused = await runCommandLine(['run', file, '--data', path.join(folder, fileName), ...flags])
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(reasons[index] ?? '')])
    }
    expect(host.log.length).toBe(countBefore)
  })

  test('refuses reports that would be mixed up', async () => {
    const file = saveCollection([{ path: '/status' }])
    for (const reporter of ['junit,json', 'yaml', 'junit=', 'junit=a.xml,html=./a.xml'])
      expect((await runCommandLine(['run', file, '--reporter', reporter, '--demo'])).code).toBe(2)
  })

  test('sends writes only with --write, and before that nothing at all', async () => {
    const { host, flags } = await startHost()
    const file = saveCollection([
      { path: '/ui-state', takes: [{ variable: 'note', pointer: '/state/focusnoteid' }] },
      { path: '/notes/{{note}}/title', method: 'POST', body: '{"text":"Changed"}' },
    ])
    const countBefore = host.log.length
    const refused = await runCommandLine(['run', file, ...flags])
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining('WRITE_FLAG')])
    expect(host.log.length).toBe(countBefore)
    const allowed = await runCommandLine(['run', file, '--write', '--yes', ...flags])
    expect([allowed.code, allowed.stdout.toString()]).toEqual([0, expect.stringContaining('2 passed')])
    expect(host.log.filter(({ isExecuted, path: url }) => isExecuted && url.endsWith('/title'))).toHaveLength(1)
  })

  test('refuses what is no collection', async () => {
    const { flags } = await startHost()
    const other = path.join(createTempDir(), 'other.json')
    writeFileSync(other, '[]')
    const runs = [await runCommandLine(['run', other, ...flags]), await runCommandLine(['run', 'absent', ...flags])]
    expect(runs.map(({ code }) => code)).toEqual([2, 2])
    expect(runs.map(({ stderr }) => stderr.split(':')[0])).toEqual(['COLLECTION_UNREADABLE', 'COLLECTION_UNKNOWN'])
    const misspelled = path.join(createTempDir(), 'misspelled.json')
    writeFileSync(misspelled, '{"name": "a", "variables": {}, "requests": [{"metod": "GET"}]}')
    writeFileSync(
      other,
      '{"name": "a", "variables": {}, "requests": [{"name": "b", "method": "GET", "path": "/", "body": null, "x/y": 1}]}',
    )
    expect((await runCommandLine(['run', misspelled, ...flags])).stderr).toContain('shape: /requests/0/name: ')
    expect((await runCommandLine(['run', other, ...flags])).stderr).toContain('/requests/0/x~1y: unknown member')
  })
})

describe('findings', () => {
  test('lists what was recorded in a data directory, by caller and run', async () => {
    const { host } = await startHost()
    const dataDir = createTempDir()
    const recording = await runCommandLine([
      ...['record', '-o', path.join(createTempDir(), 'a.har'), '--write', ...createConnectionFlags(host, dataDir)],
      ...['--', process.execPath, '-e', CLIENT_SCRIPT],
    ])
    expect(recording.code).toBe(0)
    const run = await runCommandLine(['findings', '--json', '--fail', '--data-dir', dataDir])
    expect(run.code).toBe(11)
    expect(JSON.parse(run.stdout.toString())).toMatchObject({ total: 1, findings: [{ rule: 'unknown-route' }] })
    const text = await runCommandLine(['findings', '--origin', 'recorded', '--run', 'last', '--data-dir', dataDir])
    expect([text.code, text.stdout.toString()]).toEqual([0, expect.stringContaining('unknown-route: GET /statuss')])
    const panels = await runCommandLine(['findings', '--origin', 'panel', '--fail', '--data-dir', dataDir])
    expect([panels.code, panels.stdout.toString(), panels.stderr.split(':')[0]]).toEqual([11, '', 'NOTHING_RECORDED'])
    const label = path.basename(process.execPath)
    const byName = await runCommandLine(['findings', '--origin', label, '--json', '--data-dir', dataDir])
    expect(JSON.parse(byName.stdout.toString())).toMatchObject({ total: 1, exchanges: 3 })
    const countFiltered = async (filter: string): Promise<unknown> => {
      const { stdout } = await runCommandLine(['findings', '--filter', filter, '--json', '--data-dir', dataDir])
      const { total, exchanges } = JSON.parse(stdout.toString()) as { total: number; exchanges: number }
      return [total, exchanges]
    }
    expect(await countFiltered('origin:recorded status:404')).toEqual([1, 1])
    expect(await countFiltered('origin:recorded -status:404')).toEqual([0, 2])
    expect(await countFiltered('origin:recorded statuss')).toEqual([1, 1])
    expect(await countFiltered('origin:recorded last:1h')).toEqual([1, 3])
    for (const filter of ['status:9', 'has:finding', 'id:1']) {
      const refused = await runCommandLine(['findings', '--filter', filter, '--data-dir', dataDir])
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(filter)])
    }
    const mistyped = await runCommandLine(['findings', '--origin', 'recordd', '--fail', '--data-dir', dataDir])
    expect([mistyped.code, mistyped.stdout.toString()]).toEqual([2, ''])
    expect(mistyped.stderr).toMatch(new RegExp(`^FLAG_ORIGIN: .*recordd.* recorded, .*${label}`))
  })

  test('prints each finding with its severity, its exchanges and the line of code', async () => {
    const dataDir = createTempDir()
    const panel = await startPanel({ panel: path.join(FAULTY_PLUGIN, 'built'), dataDir })
    await breakRule(panel.url)
    await panel.close()
    const json = await runCommandLine(['findings', '--json', '--data-dir', dataDir])
    expect(JSON.parse(json.stdout.toString())).toMatchObject({
      findings: [
        {
          ...{
            rule: 'outside-allow-list',
            severity: 'error',
            exchanges: [expect.any(Number)],
            initiator: FAULTY_PLACE,
          },
          message: expect.stringContaining('IN_PROCESS_NOT_ALLOWED') as string,
          ...{ remedy: expect.any(String) as string, specReference: expect.stringMatching('§') as string },
        },
      ],
    })
    const text = await runCommandLine(['findings', '--data-dir', dataDir])
    expect(text.stdout.toString()).toMatch(/^error outside-allow-list: GET \/token, panel .*\n/)
    expect(text.stdout.toString()).toContain('\n  Line: /src/token.js:2:26 in readToken\n  Instead: ')
    const markdown = await runCommandLine(['findings', '--markdown', '--data-dir', dataDir])
    expect(markdown.stdout.toString()).toContain('\n  - Line: `/src/token.js:2:26 in readToken`\n  - Exchanges: ')
  })

  test('tells what of the contract the recorded calls met', async () => {
    const { host } = await startHost()
    const dataDir = createTempDir()
    const words = [
      'record',
      '-o',
      path.join(createTempDir(), 'a.har'),
      '--write',
      ...createConnectionFlags(host, dataDir),
    ]
    await runCommandLine([...words, '--', process.execPath, '-e', CLIENT_SCRIPT])
    const flags = ['coverage', '--origin', 'recorded', '--data-dir', dataDir]
    const json = await runCommandLine([...flags, '--format', 'json', '--fail-under', '0'])
    const report = JSON.parse(json.stdout.toString()) as {
      percent: number
      isHostListKnown: boolean
      routes: { method: string; path: string; calls: number }[]
      uncounted: object[]
    }
    expect([json.code, report.isHostListKnown]).toEqual([0, true])
    expect(report.routes.filter(({ calls }) => calls > 0).length).toBeGreaterThan(0)
    expect(report.percent).toBeGreaterThan(0)
    const text = await runCommandLine([...flags, '--fail-under', '100'])
    expect([text.code, text.stdout.toString()]).toEqual([11, expect.stringContaining(`${report.percent}% met: `)])
    expect((await runCommandLine([...flags, '--format', 'markdown'])).stdout.toString()).toContain('| Route | Calls |')
    const filtered = await runCommandLine([...flags, '--filter', 'status:404', '--format', 'json'])
    const { routes } = JSON.parse(filtered.stdout.toString()) as { routes: { calls: number }[] }
    expect(routes.filter(({ calls }) => calls > 0)).toEqual([])
    const empty = await runCommandLine(['coverage', '--data-dir', createTempDir(), '--fail-under', '0'])
    expect([empty.code, empty.stderr.split(':')[0]]).toEqual([11, 'NOTHING_RECORDED'])
    expect((await runCommandLine(['coverage', '--fail-under', '101'])).code).toBe(2)
  })

  test('says that nothing is recorded instead of finding nothing', async () => {
    const run = await runCommandLine(['findings', '--quiet', '--data-dir', createTempDir()])
    expect([run.code, run.stderr.split(':')[0]]).toEqual([0, 'NOTHING_RECORDED'])
    expect((await runCommandLine(['findings', '--fail', '--data-dir', createTempDir()])).code).toBe(11)
    expect((await runCommandLine(['findings', '--run', 'first'])).code).toBe(2)
  })
})

/** Makes one request for a route that resembles one, and writes once. */
const CLIENT_SCRIPT = `
const call = (path, options) => fetch(process.env.BRIDGE_BASE_URL + path, {
  ...options, headers: { Authorization: 'Bearer ' + process.env.BRIDGE_TOKEN, 'Content-Type': 'application/json' } })
await call('/statuss')
const { state } = await (await call('/ui-state')).json()
const write = await call('/notes/' + state.focusnoteid + '/title', { method: 'POST', body: '{"text":"New","confirm":true}' })
process.exitCode = write.ok ? 0 : 7`

const STATUS_SCRIPT = `
await fetch(process.env.BRIDGE_BASE_URL + '/status', { headers: { Authorization: 'Bearer ' + process.env.BRIDGE_TOKEN } })`

/**
 * Ends with the number of SIGINTs that it got, when it is told to by SIGTERM, or soon after the
 * first one if its argument is `once`.
 */
const COUNTING_SCRIPT = `
let count = 0
process.on('SIGTERM', () => process.exit(count))
process.on('SIGINT', () => {
  count += 1
  console.log('SIGINT ' + count)
  if (process.argv[1] === 'once') setTimeout(() => process.exit(count), 500)
})
setInterval(() => {}, 1_000)
${STATUS_SCRIPT}
console.log('ready')`

describe('record', () => {
  test('saves the requests of a program as an archive, and ends as the program does', async () => {
    const { host, flags } = await startHost()
    const folder = path.join(createTempDir(), 'out')
    mkdirSync(folder)
    const run = await runCommandLine([
      'record',
      '-o',
      folder,
      '--json',
      ...flags,
      '--',
      process.execPath,
      '-e',
      CLIENT_SCRIPT,
    ])
    // The write is refused, because --write is missing.
    expect([run.code, JSON.parse(run.stdout.toString())]).toMatchObject([7, { entries: 2, refused: 1, code: 7 }])
    expect(host.log.every(({ method }) => method === 'GET')).toBe(true)
    const { log } = JSON.parse(readFileSync(path.join(folder, 'traffic.har'), 'utf8')) as {
      log: { entries: { request: { url: string }; response: { status: number; content: { text: string } } }[] }
    }
    expect(log.entries.map(({ request, response }) => [new URL(request.url).pathname, response.status])).toEqual([
      ['/bridge/v1/statuss', 404],
      ['/bridge/v1/ui-state', 200],
    ])
    expect(JSON.parse(log.entries[1]?.response.content.text ?? '')).toHaveProperty('state')
    expect(readFileSync(path.join(folder, 'findings.json'), 'utf8')).toContain('unknown-route')
    expect(readFileSync(path.join(folder, 'traffic.har'), 'utf8')).not.toContain(host.token)
  })

  test('gives the program no token of the host, from whatever variable', async () => {
    const { host, flags } = await startHost()
    const [file, output] = [path.join(createTempDir(), 'env.json'), path.join(createTempDir(), 'a.har')]
    const script = 'require("fs").writeFileSync(process.argv[1], JSON.stringify(process.env))'
    const env = { BRIDGE_TOKEN: host.token, MN_BRIDGE_TOKEN: host.token }
    const words = ['record', '-o', output, ...flags, '--', process.execPath, '-e', script, file]
    expect((await runCommandLine(words, { env })).code).toBe(0)
    const clientEnv = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    expect(clientEnv['BRIDGE_TOKEN']).toBeTruthy()
    expect(JSON.stringify(clientEnv)).not.toContain(host.token)
  })

  test('reports findings of this run only', async () => {
    const { host } = await startHost()
    const dataDir = createTempDir()
    const record = async (script: string): Promise<string> => {
      const words = ['record', '--write', '--json', '-o', path.join(createTempDir(), 'a.har')]
      const flags = createConnectionFlags(host, dataDir)
      const run = await runCommandLine([...words, ...flags, '--', process.execPath, '-e', script])
      return run.stdout.toString()
    }
    expect(JSON.parse(await record(CLIENT_SCRIPT))).toMatchObject({ findings: [{ rule: 'unknown-route', count: 1 }] })
    expect(JSON.parse(await record(STATUS_SCRIPT))).toMatchObject({ entries: 1, findings: [] })
    expect(JSON.parse(await record(CLIENT_SCRIPT))).toMatchObject({ findings: [{ rule: 'unknown-route', count: 1 }] })
  })

  test('passes each signal on while the program runs, and saves its requests afterwards', async () => {
    const { flags } = await startHost()
    const file = path.join(createTempDir(), 'a.har')
    const child = startProgram(['record', '-o', file, ...flags, '--', process.execPath, '-e', COUNTING_SCRIPT])
    const exit = waitForExit(child)
    let out = ''
    child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()))
    await expect.poll(() => out).toContain('ready')
    child.kill('SIGINT')
    await expect.poll(() => out).toContain('SIGINT 1')
    child.kill('SIGINT')
    await expect.poll(() => out).toContain('SIGINT 2')
    child.kill('SIGTERM')
    expect((await exit).code).toBe(2)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ log: { entries: [{}] } })
  })

  test('leaves Ctrl+C to the terminal, which reaches the program by itself', async () => {
    const { flags } = await startHost()
    const file = path.join(createTempDir(), 'a.har')
    const words = ['record', '-o', file, ...flags, '--', process.execPath, '-e', COUNTING_SCRIPT, 'once']
    const child = startProgramAtTerminal(words)
    const exit = waitForExit(child)
    let out = ''
    child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()))
    await expect.poll(() => out).toContain('ready')
    child.stdin?.write('\u0003')
    const { code } = await exit
    expect({ code, out, isSaved: existsSync(file) }).toEqual({
      ...{ code: 1, isSaved: true },
      out: expect.stringContaining('SIGINT 1'),
    })
  })

  test('needs a file that it may write, and a program that exists', async () => {
    const { host, flags } = await startHost()
    const file = path.join(createTempDir(), 'a.har')
    expect((await runCommandLine(['record', ...flags, '--', 'true'])).code).toBe(2)
    const missing = await runCommandLine(['record', '-o', file, ...flags, '--', 'no-such-program-here'])
    expect([missing.code, missing.stderr]).toEqual([127, expect.stringContaining('COMMAND_FAILED')])
    expect(existsSync(file)).toBe(true)
    const count = host.log.length
    expect((await runCommandLine(['record', '-o', file, ...flags, '--', 'true'])).code).toBe(2)
    expect(host.log.length).toBe(count)
  })
})

describe('panel', () => {
  test('serves a panel until it is told to end, then prints its findings', async () => {
    const { flags } = await startHost()
    const folder = createTempDir()
    writeFileSync(path.join(folder, 'index.html'), '<title>Mine</title>')
    const child = startProgram(['panel', folder, '--json', '--fail', ...flags])
    const exit = waitForExit(child)
    let out = ''
    child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()))
    await expect.poll(() => out).toMatch(/^Panel: http.*\n/)
    const address = /^Panel: (\S+)/.exec(out)?.[1] ?? ''
    expect(await (await fetch(address)).text()).toContain('Mine')
    expect((await fetch(new URL('/bridge/v1/token', address))).status).toBe(403)
    const write = await fetch(new URL('/bridge/v1/notes/N/title', address), { method: 'POST', body: '{}' })
    expect(await write.json()).toMatchObject({ error: { code: 'PANEL_WRITE_REFUSED' } })
    child.kill('SIGINT')
    const { code, stdout } = await exit
    expect(code).toBe(11)
    const [, report = ''] = stdout.toString().split('\n')
    expect(JSON.parse(report)).toMatchObject({ total: 1, findings: [{ rule: 'outside-allow-list' }] })
  })

  test('asks at the terminal for each write, and sends only what is confirmed', async () => {
    const { host, flags } = await startHost()
    const folder = createTempDir()
    writeFileSync(path.join(folder, 'index.html'), '<title>Mine</title>')
    let printed = ''
    const running = runCommandLine(['panel', folder, '--writes', 'ask', ...flags], {
      typed: ['y', 'no'],
      onPrint: (text) => (printed += text),
    })
    await expect.poll(() => printed).toMatch(/^Panel: http.*\n/)
    const address = /^Panel: (\S+)/.exec(printed)?.[1] ?? ''
    const card = host.state.library.sets.flatMap(({ cards }) => cards)[0]
    const title = new URL(`/bridge/v1/notes/${card?.noteid ?? ''}/title`, address)
    const headers = { 'Content-Type': 'application/json' }
    const writeTitle = (text: string) => fetch(title, { method: 'POST', headers, body: JSON.stringify({ text }) })
    // One write waits until the other is decided; either may come first.
    const responses = await Promise.all([writeTitle('First'), writeTitle('Second')])
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 403]))
    const refused = responses.find(({ status }) => status === 403)
    expect(await refused?.json()).toMatchObject({ error: { code: 'PANEL_WRITE_REFUSED' } })
    process.emit('SIGINT')
    const { code, stderr } = await running
    expect(code).toBe(0)
    for (const text of ['First', 'Second']) expect(stderr).toContain(`{"text":"${text}","confirm":true}`)
    expect(stderr.match(/Send this\?/g)).toHaveLength(2)
    expect(stderr).toContain('Refused: POST /notes/')
    const executed = host.log.filter(({ isExecuted, path: url }) => isExecuted && url.endsWith('/title'))
    expect(executed).toHaveLength(1)
  })

  test('refuses each write that it should ask for if there is no terminal', async () => {
    const { host, flags } = await startHost()
    const folder = createTempDir()
    writeFileSync(path.join(folder, 'index.html'), '<title>Mine</title>')
    let printed = ''
    const running = runCommandLine(['panel', folder, '--writes', 'ask', ...flags], {
      onPrint: (text) => (printed += text),
    })
    await expect.poll(() => printed).toMatch(/^Panel: http.*\n/)
    const title = new URL('/bridge/v1/notes/N/title', /^Panel: (\S+)/.exec(printed)?.[1] ?? '')
    const response = await fetch(title, { method: 'POST', body: '{"text":"New"}' })
    expect(response.status).toBe(403)
    process.emit('SIGINT')
    expect((await running).stderr).toContain('Refused: POST /notes/N/title')
    expect(host.log.filter(({ path: url }) => url.endsWith('/title'))).toEqual([])
  })

  test('sends writes that are allowed once, and keeps them in the journal', async () => {
    const { host } = await startHost()
    const dataDir = createTempDir()
    const folder = createTempDir()
    writeFileSync(path.join(folder, 'index.html'), '<title>Mine</title>')
    const child = startProgram(['panel', folder, '--writes', 'allow', ...createConnectionFlags(host, dataDir)])
    const exit = waitForExit(child)
    let out = ''
    child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()))
    await expect.poll(() => out).toMatch(/^Panel: http.*\n/)
    const address = /^Panel: (\S+)/.exec(out)?.[1] ?? ''
    const { state } = (await (await fetch(new URL('/bridge/v1/ui-state', address))).json()) as {
      state: { focusnoteid: string }
    }
    const title = new URL(`/bridge/v1/notes/${state.focusnoteid}/title`, address)
    const headers = { 'Content-Type': 'application/json' }
    expect((await fetch(title, { method: 'POST', headers, body: '{"text":"New"}' })).status).toBe(200)
    child.kill('SIGTERM')
    expect((await exit).code).toBe(0)
    expect(host.log.filter(({ isExecuted, path: url }) => isExecuted && url.endsWith('/title'))).toHaveLength(1)
    expect(readFileSync(path.join(dataDir, 'journal.db')).includes('notes.title')).toBe(true)
  })
})
