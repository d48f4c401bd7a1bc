import { readFileSync, readdirSync, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { waitForExit, createConnectionFlags, runCommandLine, startProgram } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { startAlteringHost } from '../../support/hosts/altering-host.ts'
import { respond, respondJson } from '../../support/hosts/behaviours.ts'
import { startMisbehavingHost } from '../../support/hosts/misbehaving-host.ts'

const WRONG = 'mnb0.This-Token-Is-Wrong-0123456789'

async function hostWithFlags(nodes = 300) {
  const { host, send } = await startDemo({ nodes })
  const flags = createConnectionFlags(host)
  const sets = host.state.library.sets
  const [set] = sets
  const [card] = set?.cards ?? []
  const book = { bookmd5: set?.documents[0] ?? '' }
  if (!set || !card) throw new Error('no cards')
  const large = host.state.generatedSet
  return { host, send, flags, set, card, book, large, end: () => host.close() }
}

const lines = (stdout: Buffer): unknown[] =>
  stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)

describe('each command that reads', () => {
  test('prints what the host sent', async () => {
    const { host, send, flags, set, card, book, large, end } = await hostWithFlags()
    const listing = await send('GET', `/study-sets/${large.topicid}/tree?limit=5000`)
    const part = host.state.library.sets.flatMap(({ cards }) => cards).find((one) => one.parts.length > 0)
    const saved = path.join(createTempDir(), 'part')
    const [status, call, tree, cards, excerpts, palette, search, doctor] = await Promise.all([
      runCommandLine(['status', '--json', ...flags]),
      runCommandLine(['call', 'GET', '/library/study-sets', ...flags]),
      runCommandLine(['tree', large.topicid, '--page-size', '70', ...flags]),
      runCommandLine(['cards', '-', ...flags], { input: `${card.noteid}\n` }),
      runCommandLine(['excerpts', book.bookmd5, '--format', 'csv', ...flags]),
      runCommandLine(['palette', set.topicid, ...flags]),
      runCommandLine(['search', set.title, '--scope', 'studysets', ...flags]),
      runCommandLine(['doctor', '--json', ...flags]),
    ])
    expect([status, call, tree, cards, palette, search, doctor].map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(JSON.parse(status.stdout.toString())).toMatchObject({ phase: 'online', baseUrl: host.baseUrl })
    expect(call.stdout).toEqual(Buffer.from((await send('GET', '/library/study-sets')).bytes))
    const sent = listing.json['nodes'] as unknown[]
    expect(lines(tree.stdout)).toEqual(sent)
    // Byte for byte: each line stands in the answer as it is.
    const whole = Buffer.from(listing.bytes).toString()
    for (const line of tree.stdout.toString().trimEnd().split('\n')) expect(whole).toContain(line)
    expect(lines(cards.stdout)).toMatchObject([{ noteid: card.noteid }])
    expect(excerpts.stdout.toString()).toMatch(/^noteid,cardNoteId,topicid,page,startpos,endpos,text\r\n/)
    expect(lines(palette.stdout)[0]).toHaveProperty('baseColor.hex')
    expect(lines(search.stdout).length).toBeGreaterThan(0)
    expect(JSON.parse(doctor.stdout.toString())).toMatchObject([{ step: 'address', result: 'ok' }, {}, {}, {}, {}, {}])
    if (part) {
      const [{ contentId = '' } = {}] = part.parts.filter((one) => 'contentId' in one) as { contentId?: string }[]
      const content = await runCommandLine(['content', part.noteid, contentId, '-o', saved, ...flags])
      const piped = await runCommandLine(['content', part.noteid, contentId, '-o', '-', ...flags])
      const answer = await send('GET', `/notes/${part.noteid}/content/${contentId}`)
      expect([content.code, piped.code]).toEqual([0, 0])
      expect(readFileSync(saved)).toEqual(Buffer.from(answer.bytes))
      expect(piped.stdout).toEqual(readFileSync(saved))
      expect((await runCommandLine(['content', part.noteid, contentId, '-o', saved, ...flags])).code).toBe(2)
    }
    await end()
  })

  test('says what the host answered, also where that is an error', async () => {
    const { flags, set, end } = await hostWithFlags(20)
    const runs = await Promise.all([
      runCommandLine(['call', 'GET', '/no-such-route', ...flags]),
      runCommandLine(['tree', 'no-such-set', ...flags]),
      runCommandLine(['excerpts', 'no-such-document', ...flags]),
      runCommandLine(['palette', 'no-such-set', ...flags]),
      runCommandLine(['content', 'no', 'such', '-o', path.join(createTempDir(), 'x'), ...flags]),
      runCommandLine(['cards', 'no-such-card', ...flags]),
      runCommandLine(['tree', set.topicid, '--page-size', 'many', ...flags]),
    ])
    expect(runs.map(({ code }) => code)).toEqual([3, 3, 3, 3, 3, 10, 2])
    expect(JSON.parse(runs[0]?.stdout.toString() ?? '')).toHaveProperty('error.code', 'ROUTE_NOT_FOUND')
    expect(runs[0]?.stderr).toMatch(/^ROUTE_NOT_FOUND: /)
    expect(runs[5]?.stderr).toMatch(/^CARD_MISSING: .*no-such-card/)
    for (const { stderr } of runs) expect(stderr).toMatch(/^[A-Z_0-9]+: .+\n$/)
    await end()
  })

  test('tells a host that is away from a token that is wrong, and from no host at all', async () => {
    const { host, flags, end } = await hostWithFlags(20)
    const away = ['--base-url', 'http://127.0.0.1:9', '--data-dir', createTempDir()]
    const wrong = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    const env = { BRIDGE_TOKEN: WRONG }
    const commands = [
      ['status'],
      ['call', 'GET', '/ui-state'],
      ['tree', 'x'],
      ['cards', 'x'],
      ['search', 'x'],
      ['doctor'],
    ]
    const offline = await Promise.all(commands.map((one) => runCommandLine([...one, ...away])))
    const refused = await Promise.all(commands.map((one) => runCommandLine([...one, ...wrong], { env })))
    expect(offline.map(({ code }) => code)).toEqual(commands.map(() => 4))
    expect(refused.map(({ code }) => code)).toEqual(commands.map(() => 5))
    const all = [...offline, ...refused].map(({ stdout, stderr }) => stdout.toString() + stderr).join('')
    expect(all).not.toContain(WRONG)
    // What to do is said in flags: there is no window here.
    const none = await runCommandLine(['status', ...wrong])
    expect([none.code, none.stderr]).toEqual([5, expect.stringMatching(/^TOKEN_NONE: .*--token-file or BRIDGE_TOKEN/)])
    const checked = await runCommandLine(['doctor', ...wrong])
    expect(checked.stdout.toString()).toMatch(/FAILED +token .*\n +Give the token with --token-file/)
    expect(all + none.stderr + checked.stdout.toString()).not.toMatch(/Connect page|under Connect/)
    expect((await runCommandLine(['status', '--data-dir', createTempDir()])).code).toBe(2)
    expect((await runCommandLine([...flags, 'status'])).code).toBe(0)
    await end()
  })
})

test('a list that the host cut ends with a code of its own', async () => {
  const { host } = await startDemo({ nodes: 200, walkLimit: 50 })
  const cut = await runCommandLine(['tree', host.state.generatedSet.topicid, ...createConnectionFlags(host)])
  expect(cut).toMatchObject({ code: 10, stderr: expect.stringMatching(/^LIST_TRUNCATED: /) as string })
  await host.close()
})

test('excerpts --duplicates-only prints the duplicates in every format', async () => {
  const { host, send, flags, end } = await hostWithFlags()
  const isTwice = (md5: string): boolean => {
    const places = (host.state.library.excerpts.get(md5) ?? []).map(
      (one) => `${one.page}/${one.startpos}/${one.endpos}`,
    )
    return new Set(places).size < places.length
  }
  const md5 = [...host.state.library.excerpts.keys()].find(isTwice) ?? ''
  const { json } = await send('GET', `/documents/${md5}/excerpts?duplicatesOnly=1`)
  const sent = json['duplicates'] as { noteids: string[]; cardNoteIds: string[]; page: number }[]
  const formats = ['ndjson', 'json', 'csv', 'text'] as const
  const printed = await Promise.all(
    formats.map((format) => runCommandLine(['excerpts', md5, '--duplicates-only', '--format', format, ...flags])),
  )
  await end()
  expect(printed.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  const [ndjson, whole, csv, text] = printed.map(({ stdout }) => stdout.toString())
  expect(sent.length).toBeGreaterThan(0)
  expect(lines(Buffer.from(ndjson ?? ''))).toEqual(sent)
  expect((JSON.parse(whole ?? '') as typeof json)['duplicates']).toEqual(sent)
  const rows = sent.flatMap(({ noteids, cardNoteIds, page }, index) =>
    noteids.map((noteid, side) => ({ start: `${index + 1},${noteid},${cardNoteIds[side]},,${page},`, noteid })),
  )
  expect(csv).toMatch(/^duplicate,noteid,cardNoteId,topicid,page,startpos,endpos,text\r\n/)
  for (const { start, noteid } of rows) {
    expect(csv).toContain(`\r\n${start}`)
    expect(text).toContain(`record ${noteid}`)
  }
  expect(csv?.trimEnd().split('\r\n')).toHaveLength(rows.length + 1)
})

test('a host that does not confirm the document order is noticed', async () => {
  const { host, flags, large, end } = await hostWithFlags(20)
  const silent = await startAlteringHost(host, ({ path: asked }, { status, body }) =>
    asked.includes('/tree') ? { status, body: { ...(body as object), sort: undefined } } : null,
  )
  const args = ['tree', large.topicid, '--sort', 'document']
  const [confirmed, ignored] = await Promise.all([
    runCommandLine([...args, ...flags]),
    runCommandLine([...args, ...createConnectionFlags({ ...host, baseUrl: silent })]),
  ])
  await end()
  expect(confirmed.stderr).not.toContain('--sort')
  expect(ignored.stderr).toContain('does not say that the cards are in document order')
  expect(ignored.stdout).toEqual(confirmed.stdout)
})

test('a listing of 200,000 cards passes through a heap of 48 MB', async () => {
  const { flags, large, end } = await hostWithFlags(200_000)
  const child = startProgram(['tree', large.topicid, ...flags], { node: ['--max-old-space-size=48'] })
  let count = 0
  child.stdout?.on('data', (piece: Buffer) => {
    for (const byte of piece) if (byte === 10) count += 1
  })
  let stderr = ''
  child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect({ code, count, stderr }).toEqual({ code: 0, count: 200_000, stderr: '' })
  await end()
})

describe('the end of a command', () => {
  test('comes with the reader, without an error', async () => {
    const { flags, large, end } = await hostWithFlags(20_000)
    const child = startProgram(['tree', large.topicid, ...flags])
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await waitForExit(child)).toMatchObject({ code: 0, stderr: '' })
    await end()
  })

  test('comes with Ctrl+C, and leaves nothing behind', async () => {
    const { flags, large, end } = await hostWithFlags(20_000)
    const folder = createTempDir()
    const child = startProgram(['tree', large.topicid, ...flags], { env: { TMPDIR: folder } })
    child.stdout?.pause()
    const over = new Promise((resolve) => child.once('exit', resolve))
    await new Promise((resolve) => child.stdout?.once('readable', resolve))
    // Nobody reads: the program waits in the middle of the list.
    child.kill('SIGINT')
    expect(await over).toBe(130)
    expect(readdirSync(folder)).toEqual([])
    await end()
  })
})

test('reads work beside a running app, and keep nothing', async () => {
  const { host, end } = await hostWithFlags(20)
  const dataDir = createTempDir()
  const app = await startComposedApp(dataDir)
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  await app.call('profiles.save', { name: 'Work', baseUrl: host.baseUrl, auth, readOnly: true })
  const before = readFileSync(path.join(dataDir, 'profiles.json'), 'utf8')
  const env = { BRIDGE_TOKEN: host.token }
  const found = await runCommandLine(['status', '--profile', 'Work', '--data-dir', dataDir], { env })
  const listed = await runCommandLine(['profiles', '--json', '--data-dir', dataDir])
  const none = await runCommandLine(['status', '--profile', 'Other', '--data-dir', dataDir])
  expect([found.code, listed.code, none.code]).toEqual([0, 0, 2])
  expect(JSON.parse(listed.stdout.toString())).toMatchObject([{ profile: { name: 'Work', readOnly: true } }])
  expect(readFileSync(path.join(dataDir, 'profiles.json'), 'utf8')).toBe(before)
  expect((await app.call('traffic.info', {})).exchanges).toBe(0)
  await app.dispose()
  await end()
})

describe('no documented member is lost', () => {
  /** A host that answers this where the path matches. */
  async function answering(path: RegExp, body: object) {
    const other = respondJson({ app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' })
    const host = await startMisbehavingHost((socket, seen) =>
      (path.test(seen.path) ? respondJson(body) : other)(socket, seen),
    )
    onTestFinished(() => host.close())
    const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    return async (...words: string[]): Promise<string[]> => {
      const { stdout } = await runCommandLine([...words, ...flags], { env: { BRIDGE_TOKEN: WRONG } })
      return stdout.toString().trimEnd().split(/\r?\n/)
    }
  }

  test('in the table of study sets and of documents', async () => {
    const sets = await answering(/study-sets$/, {
      studySets: [{ topicid: 'T', title: 'Cells', noteCount: 3, documentCount: 1, lastModifiedAt: 7 }],
    })
    expect(await sets('study-sets', '--format', 'csv')).toEqual([
      'topicid,title,noteCount,documentCount,lastModifiedAt',
      'T,Cells,3,1,7',
    ])
    expect(await sets('study-sets', '--format', 'text')).toEqual(['Cells  3 cards, 1 documents, changed 7  T'])
    const documents = await answering(/documents$/, {
      documents: [{ bookmd5: 'M', title: 'Book', sourceState: 'ok', main: true, pageCount: 9, excerptCount: 2 }],
    })
    expect(await documents('documents', 'T', '--format', 'csv')).toEqual([
      'bookmd5,title,sourceState,main,pageCount,excerptCount',
      'M,Book,ok,true,9,2',
    ])
    expect(await documents('documents', 'T', '--format', 'text')).toEqual([
      'Book  9 pages, 2 excerpts, ok, main document  M',
    ])
  })

  test('of a color, and an id of a hit stands there once', async () => {
    const rgba = { r: 1, g: 2, b: 3, a: 1 }
    const color = { colorIndex: 0, baseColor: { hex: '#010203', rgba }, displayColor: { hex: '#010203', rgba } }
    const palette = await answering(/note-palette/, { colors: [color] })
    expect((await palette('palette', 'T', '--format', 'csv'))[1]).toBe('0,#010203,#010203,1,2,3,1,1,2,3,1')
    expect((await palette('palette', 'T', '--format', 'text'))[0]).toContain('rgba(1, 2, 3, 1)')
    const hit = { kind: 'note', title: 'x', noteid: 'N', noteId: 'N', topicid: 'T', id: 'N' }
    const search = await answering(/search/, { hits: [hit] })
    expect(await search('search', 'x', '--format', 'csv')).toEqual([
      'kind,title,noteid,topicid,bookmd5,id',
      'note,x,N,T,,',
    ])
    expect((await search('search', 'x', '--format', 'text'))[0]).toMatch(/x {2}N {2}T$/)
  })
})

test('the error of a write says what the host said, and when it may be tried again', async () => {
  const { host } = await startDemo({ nodes: 20, fault: 'rate-limit' })
  const flags = createConnectionFlags(host)
  const noteid = host.state.library.sets.flatMap(({ cards }) => cards)[0]?.noteid ?? ''
  const runs = [
    await runCommandLine([
      'call',
      'POST',
      `/notes/${noteid}/title`,
      '-d',
      '{"text":"x"}',
      '--write',
      '--yes',
      ...flags,
    ]),
    await runCommandLine(['call', 'GET', '/library/study-sets', ...flags]),
    await runCommandLine(['study-sets', ...flags]),
  ]
  for (const { code, stderr } of runs) {
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^SCAN_BUSY: A scan is under way\. Retry after 1 s\.\n/)])
  }
  await host.close()
})

test('what a broken host answers can be read, whatever it is', async () => {
  const page = '<h1>Broken</h1>'
  const host = await startMisbehavingHost(respond(page, { status: 500, type: 'text/html' }))
  const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
  const { code, stdout, stderr } = await runCommandLine(['call', 'GET', '/status', ...flags], {
    env: { BRIDGE_TOKEN: WRONG },
  })
  await host.close()
  expect([code, stdout.toString(), stderr]).toEqual([3, page, 'HTTP_500: The host answered with status 500.\n'])
})

describe('call', () => {
  const about = { app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' }

  /** A host whose answers to GET /x come from the list, the last one again and again. */
  async function answering(...answers: ReturnType<typeof respondJson>[]) {
    let index = 0
    const asked: string[] = []
    const host = await startMisbehavingHost((socket, seen) => {
      if (!seen.path.endsWith('/x')) return respondJson(about)(socket, seen)
      asked.push(seen.head)
      const reply = answers[Math.min(index, answers.length - 1)]
      index += 1
      reply?.(socket, seen)
    })
    onTestFinished(() => host.close())
    const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    const call = (...words: string[]) =>
      runCommandLine(['call', 'GET', '/x', ...words, ...flags], { env: { BRIDGE_TOKEN: WRONG } })
    return { asked, call }
  }

  test('shows the head of the answer, sends a header of its own, and writes into a file', async () => {
    const { asked, call } = await answering(respond('body', { type: 'text/plain', headers: { 'X-Own': 'yes' } }))
    const file = path.join(createTempDir(), 'answer')
    const shown = await call('-i', '-H', 'X-Trace: 7', '-H', 'Accept: text/plain')
    expect(shown.stdout.toString()).toMatch(/^HTTP\/1\.1 200\n(?:[\w-]+: .*\n)*X-Own: yes\n(?:[\w-]+: .*\n)*\nbody$/)
    expect(asked[0]).toMatch(/^X-Trace: 7\r?$/m)
    expect(asked[0]?.match(/^accept: .*$/gim)).toEqual([expect.stringMatching(/text\/plain/)])
    expect(await call('-o', file)).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('body')
    expect(readdirSync(path.dirname(file))).toEqual(['answer'])
    expect((await call('-o', file)).code).toBe(2)
    expect((await call('-o', file, '--force')).code).toBe(0)
    expect((await call('-o', path.join(file, 'below'))).code).toBe(2)
  })

  test('sends no header that belongs to the connection or the token, or that makes the read a write', async () => {
    const { asked, call } = await answering(respondJson({}))
    for (const header of [
      'Authorization: Bearer other',
      'authorization: x',
      'Host: other',
      'Origin: http://x',
      'Cookie: a=b',
      'Content-Length: 3',
      'X-HTTP-Method-Override: DELETE',
      `X-Own: ${WRONG}`,
      'no header',
    ]) {
      const { code, stdout } = await call('-H', header)
      expect([header, code === 0, stdout.toString()]).toEqual([header, false, ''])
    }
    expect(asked).toEqual([])
  })

  test('is repeated as often as --retry says, and only while the host says that it may succeed', async () => {
    const busy = respond('{"error":{"code":"BUSY","message":"later"}}', {
      status: 503,
      headers: { 'Retry-After': '0' },
    })
    const twice = await answering(busy, busy, respondJson({ ok: true }))
    expect((await twice.call('--retry', '3')).stdout.toString()).toBe('{"ok":true}')
    expect(twice.asked).toHaveLength(3)
    const never = await answering(busy)
    expect((await never.call('--retry', '1')).code).toBe(3)
    expect(never.asked).toHaveLength(2)
    const wrong = await answering(respond('{"error":{"code":"NO","message":"no"}}', { status: 404 }))
    expect((await wrong.call('--retry', '5')).code).toBe(3)
    expect(wrong.asked).toHaveLength(1)
    expect((await wrong.call('--retry', 'often')).code).toBe(2)
  })
})

test('a host that hangs costs what --timeout says', async () => {
  const host = await startMisbehavingHost(() => undefined)
  const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir(), '--timeout', '0.5']
  const env = { BRIDGE_TOKEN: WRONG }
  for (const words of [['status'], ['call', 'GET', '/x'], ['tree', 'x'], ['study-sets']]) {
    const startedAt = performance.now()
    const { code, stderr } = await runCommandLine([...words, ...flags], { env })
    expect([words, code, stderr]).toEqual([words, 4, 'TIMEOUT: It did not end within 0.5 s (--timeout).\n'])
    expect(performance.now() - startedAt).toBeLessThan(4_000)
  }
  const write = ['call', 'POST', '/notes/N/title', '-d', '{"text":"x"}', '--write', '--yes']
  const startedAt = performance.now()
  const { code, stderr } = await runCommandLine([...write, ...flags], { env })
  expect([code, stderr.split(':')[0]]).toEqual([4, 'TIMEOUT'])
  expect(performance.now() - startedAt).toBeLessThan(4_000)
  await host.close()
})

test('numbers and line breaks arrive as the host wrote them', async () => {
  const node = '{\n "noteid": "A", "title": "a\\n\\"b\\u0041", "big": 12345678901234567890, "n": 1.0 }'
  const tree = respond(`{"nodes":[${node}],"nodeTotal":1,"nextCursor":null}`)
  const other = respondJson({ app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' })
  const host = await startMisbehavingHost((socket, seen) => (/tree/.test(seen.path) ? tree : other)(socket, seen))
  const flags = ['--base-url', `${host.baseUrl}`, '--data-dir', createTempDir()]
  const { stdout } = await runCommandLine(['tree', 'x', ...flags], { env: { BRIDGE_TOKEN: WRONG } })
  await host.close()
  expect(stdout.toString()).toBe('{"noteid":"A","title":"a\\n\\"b\\u0041","big":12345678901234567890,"n":1.0}\n')
})

test('an answer with an error is a failure, whatever its status and media type', async () => {
  const error = JSON.stringify({ error: { code: 'SCENE_CLOSED', message: 'no scene is open' } })
  const other = respondJson({ app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' })
  const types = { tree: 'application/json', guide: 'text/markdown', content: 'image/png' }
  const host = await startMisbehavingHost((socket, seen) => {
    const type = Object.entries(types).find(([name]) => seen.path.includes(name))?.[1]
    return (type === undefined ? other : respond(error, { type }))(socket, seen)
  })
  const env = { BRIDGE_TOKEN: WRONG }
  const flags = () => ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
  const runs = await Promise.all([
    runCommandLine(['call', 'GET', '/study-sets/x/tree', ...flags()], { env }),
    runCommandLine(['call', 'GET', '/guide', ...flags()], { env }),
    runCommandLine(['content', 'N', 'C', '-o', '-', ...flags()], { env }),
  ])
  await host.close()
  expect(runs.map(({ code }) => code)).toEqual([3, 3, 3])
  for (const { stderr } of runs) expect(stderr).toContain('SCENE_CLOSED: no scene is open')
  expect(runs.map(({ stdout }) => stdout.toString())).toEqual([error, error, ''])
})

test.each([
  ['GET', '/notes/{noteid}/render'],
  ['POST', '/notes/{noteid}/title', '--write', '--yes', '-d', '{}'],
])('a placeholder that was not filled in is named, and nothing is sent: %s %s', async (...args) => {
  const { code, stderr } = await runCommandLine(['call', ...args, '--base-url', 'http://127.0.0.1:9/bridge/v1'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^PARAM_MISSING: \{noteid\} in the path/)
})

test('a token is never taken from an argument, and none is repeated', async () => {
  const file = path.join(createTempDir(), 'token')
  writeFileSync(file, WRONG)
  const runs = await Promise.all([
    runCommandLine(['status', '--token', WRONG]),
    runCommandLine(['status', `--token=${WRONG}`]),
    runCommandLine([WRONG]),
    runCommandLine(['status', `--tokn=${WRONG}`]),
    runCommandLine(['status', WRONG]),
    runCommandLine(['tree', 'x', '--format', WRONG]),
  ])
  expect(runs.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2])
  for (const { stdout, stderr } of runs) expect(stdout.toString() + stderr).not.toContain(WRONG)
  expect(existsSync(file)).toBe(true)
})
