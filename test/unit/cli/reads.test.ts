/** @module-tag slow */

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

const WRONG_TOKEN = 'mnb0.This-Token-Is-Wrong-0123456789'

async function startHostWithFlags(nodes = 300) {
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

const parseLines = (stdout: Buffer): unknown[] =>
  stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)

describe('command that reads', () => {
  test('prints what the host sent', async () => {
    const { host, send, flags, set, card, book, large, end } = await startHostWithFlags()
    const listing = await send('GET', `/study-sets/${large.topicid}/tree?limit=5000`)
    const part = host.state.library.sets.flatMap(({ cards }) => cards).find((candidate) => candidate.parts.length > 0)
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
    const nodes = listing.json['nodes'] as unknown[]
    expect(parseLines(tree.stdout)).toEqual(nodes)
    // Each line appears in the response byte for byte.
    const responseText = Buffer.from(listing.bytes).toString()
    for (const line of tree.stdout.toString().trimEnd().split('\n')) expect(responseText).toContain(line)
    expect(parseLines(cards.stdout)).toMatchObject([{ noteid: card.noteid }])
    expect(excerpts.stdout.toString()).toMatch(/^noteid,cardNoteId,topicid,page,startpos,endpos,text\r\n/)
    expect(parseLines(palette.stdout)[0]).toHaveProperty('baseColor.hex')
    expect(parseLines(search.stdout).length).toBeGreaterThan(0)
    expect(JSON.parse(doctor.stdout.toString())).toMatchObject([{ step: 'address', result: 'ok' }, {}, {}, {}, {}, {}])
    if (part) {
      const [{ contentId = '' } = {}] = part.parts.filter((contentPart) => 'contentId' in contentPart) as {
        contentId?: string
      }[]
      const content = await runCommandLine(['content', part.noteid, contentId, '-o', saved, ...flags])
      const piped = await runCommandLine(['content', part.noteid, contentId, '-o', '-', ...flags])
      const response = await send('GET', `/notes/${part.noteid}/content/${contentId}`)
      expect([content.code, piped.code]).toEqual([0, 0])
      expect(readFileSync(saved)).toEqual(Buffer.from(response.bytes))
      expect(piped.stdout).toEqual(readFileSync(saved))
      expect((await runCommandLine(['content', part.noteid, contentId, '-o', saved, ...flags])).code).toBe(2)
    }
    await end()
  })

  test('prints the response of the host, also if it is an error', async () => {
    const { flags, set, end } = await startHostWithFlags(20)
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

  test('distinguishes an unreachable host, a wrong token and no host', async () => {
    const { host, flags, end } = await startHostWithFlags(20)
    const offlineFlags = ['--base-url', 'http://127.0.0.1:9', '--data-dir', createTempDir()]
    const flagsWithoutToken = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    const env = { BRIDGE_TOKEN: WRONG_TOKEN }
    const commands = [
      ['status'],
      ['call', 'GET', '/ui-state'],
      ['tree', 'x'],
      ['cards', 'x'],
      ['search', 'x'],
      ['doctor'],
    ]
    const offline = await Promise.all(commands.map((command) => runCommandLine([...command, ...offlineFlags])))
    const refused = await Promise.all(
      commands.map((command) => runCommandLine([...command, ...flagsWithoutToken], { env })),
    )
    expect(offline.map(({ code }) => code)).toEqual(commands.map(() => 4))
    expect(refused.map(({ code }) => code)).toEqual(commands.map(() => 5))
    const output = [...offline, ...refused].map(({ stdout, stderr }) => stdout.toString() + stderr).join('')
    expect(output).not.toContain(WRONG_TOKEN)
    // The advice names flags, because there is no window here.
    const withoutToken = await runCommandLine(['status', ...flagsWithoutToken])
    expect([withoutToken.code, withoutToken.stderr]).toEqual([
      5,
      expect.stringMatching(/^TOKEN_NONE: .*--token-file or BRIDGE_TOKEN/),
    ])
    const diagnosed = await runCommandLine(['doctor', ...flagsWithoutToken])
    expect(diagnosed.stdout.toString()).toMatch(/FAILED +token .*\n +Give the token with --token-file/)
    expect(output + withoutToken.stderr + diagnosed.stdout.toString()).not.toMatch(/Connect page|under Connect/)
    expect((await runCommandLine(['status', '--data-dir', createTempDir()])).code).toBe(2)
    expect((await runCommandLine([...flags, 'status'])).code).toBe(0)
    await end()
  })
})

test('a list that the host truncated ends with a separate exit code', async () => {
  const { host } = await startDemo({ nodes: 50_001, walkLimit: 50 })
  const search = await runCommandLine(['search', 'no such words', ...createConnectionFlags(host)])
  expect([search.code, search.stdout.toString()]).toEqual([10, ''])
  expect(search.stderr).toMatch(/^LIST_TRUNCATED: .* did not search everything, so what is not listed may exist\. /)
  const truncated = await runCommandLine(['tree', host.state.generatedSet.topicid, ...createConnectionFlags(host)])
  expect(truncated).toMatchObject({ code: 10, stderr: expect.stringMatching(/^LIST_TRUNCATED: /) as string })
  const baseUrl = await startAlteringHost(host, ({ path: url }, { status, body }) =>
    url.includes('/tree') ? { status, body: { nodes: (body as { nodes: object[] }).nodes, nodeTotal: 90 } } : null,
  )
  const flags = createConnectionFlags({ ...host, baseUrl })
  const short = await runCommandLine(['tree', host.state.generatedSet.topicid, ...flags])
  expect([short.code, short.stderr]).toEqual([0, expect.stringContaining('The host says 90 cards, and listed 50.')])
  await host.close()
})

test('excerpts --duplicates-only prints the duplicates in every format', async () => {
  const { host, send, flags, end } = await startHostWithFlags()
  const hasDuplicates = (md5: string): boolean => {
    const places = (host.state.library.excerpts.get(md5) ?? []).map(
      (excerpt) => `${excerpt.page}/${excerpt.startpos}/${excerpt.endpos}`,
    )
    return new Set(places).size < places.length
  }
  const md5 = [...host.state.library.excerpts.keys()].find(hasDuplicates) ?? ''
  const { json } = await send('GET', `/documents/${md5}/excerpts?duplicatesOnly=1`)
  const duplicates = json['duplicates'] as { noteids: string[]; cardNoteIds: string[]; page: number }[]
  const formats = ['ndjson', 'json', 'csv', 'text'] as const
  const printed = await Promise.all(
    formats.map((format) => runCommandLine(['excerpts', md5, '--duplicates-only', '--format', format, ...flags])),
  )
  await end()
  expect(printed.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  const [ndjson, jsonText, csv, text] = printed.map(({ stdout }) => stdout.toString())
  expect(duplicates.length).toBeGreaterThan(0)
  expect(parseLines(Buffer.from(ndjson ?? ''))).toEqual(duplicates)
  expect((JSON.parse(jsonText ?? '') as typeof json)['duplicates']).toEqual(duplicates)
  const rows = duplicates.flatMap(({ noteids, cardNoteIds, page }, index) =>
    noteids.map((noteid, side) => ({ start: `${index + 1},${noteid},${cardNoteIds[side]},,${page},`, noteid })),
  )
  expect(csv).toMatch(/^duplicate,noteid,cardNoteId,topicid,page,startpos,endpos,text\r\n/)
  for (const { start, noteid } of rows) {
    expect(csv).toContain(`\r\n${start}`)
    expect(text).toContain(`record ${noteid}`)
  }
  expect(csv?.trimEnd().split('\r\n')).toHaveLength(rows.length + 1)
})

test('tree reports a host that does not confirm the document order', async () => {
  const { host, flags, large, end } = await startHostWithFlags(20)
  const unconfirmedUrl = await startAlteringHost(host, ({ path: requestedPath }, { status, body }) =>
    requestedPath.includes('/tree') ? { status, body: { ...(body as object), sort: undefined } } : null,
  )
  const args = ['tree', large.topicid, '--sort', 'document']
  const [confirmed, ignored] = await Promise.all([
    runCommandLine([...args, ...flags]),
    runCommandLine([...args, ...createConnectionFlags({ ...host, baseUrl: unconfirmedUrl })]),
  ])
  await end()
  expect(confirmed.stderr).not.toContain('--sort')
  expect(ignored.stderr).toContain('does not say that the cards are in document order')
  expect(ignored.stdout).toEqual(confirmed.stdout)
})

test('a list in a shape that is not known is printed as sent, and a map by id entry by entry', async () => {
  const { host, flags, end } = await startHostWithFlags(20)
  const pairs = { hits: { pairs: [['N', 'Title']] } }
  const bodies: Readonly<Record<string, object>> = {
    '/search?q=pairs': pairs,
    '/search?q=map': { hits: { 'N-1': { title: 'One', size: 12345678901234567890n.toString() }, 'N-2': {} } },
  }
  const openUrl = await startAlteringHost(host, ({ path: requestedPath }, { status, body }) =>
    requestedPath.startsWith('/search') ? { status, body: bodies[requestedPath] ?? body } : null,
  )
  const openFlags = createConnectionFlags({ ...host, baseUrl: openUrl })
  const [unread, map, open] = await Promise.all([
    runCommandLine(['search', 'pairs', '--format', 'text', ...openFlags]),
    runCommandLine(['search', 'map', ...openFlags]),
    runCommandLine(['study-sets', ...flags]),
  ])
  await end()
  expect([unread.code, JSON.parse(unread.stdout.toString())]).toEqual([10, pairs])
  expect(unread.stderr).toContain('SHAPE_UNKNOWN')
  expect(map.code).toBe(0)
  expect(parseLines(map.stdout)).toEqual([{ id: 'N-1', title: 'One', size: '12345678901234567890' }, { id: 'N-2' }])
  expect(open.code).toBe(0)
})

test('the ids of cards are read under whatever name, and a listing without any is printed as sent', async () => {
  const { host, large, end } = await startHostWithFlags(20)
  const toUrl = (list: readonly object[]): Promise<string> =>
    startAlteringHost(host, ({ path: requestedPath }, { status }) =>
      requestedPath.includes('/tree') ? { status, body: { nodes: list, nextCursor: null } } : null,
    )
  const nodes = [{ ref: 'R-1' }, { ref: 'R-2', parent: 'R-1', docPage: -1 }]
  const unknown = [{ heading: 'A' }, { heading: 'B' }]
  const [namedUrl, unknownUrl] = await Promise.all([toUrl(nodes), toUrl(unknown)])
  const namedFlags = createConnectionFlags({ ...host, baseUrl: namedUrl })
  const [csv, text, lines, unread] = await Promise.all([
    runCommandLine(['tree', large.topicid, '--format', 'csv', ...namedFlags]),
    runCommandLine(['tree', large.topicid, '--format', 'text', ...namedFlags]),
    runCommandLine(['tree', large.topicid, ...namedFlags]),
    runCommandLine(['tree', large.topicid, ...createConnectionFlags({ ...host, baseUrl: unknownUrl })]),
  ])
  await end()
  expect(csv.stdout.toString().split('\r\n').slice(1, 3)).toEqual(['R-1,,,,,,,', 'R-2,R-1,,,,,-1,'])
  expect(text.stdout.toString()).toBe('R-1\n  R-2\n')
  expect(parseLines(lines.stdout)).toEqual(nodes)
  expect([unread.code, JSON.parse(unread.stdout.toString())]).toEqual([10, { nodes: unknown, nextCursor: null }])
  expect(unread.stderr).toContain('SHAPE_UNKNOWN')
})

test('a listing of 200,000 cards needs no more than 48 MB of heap', async () => {
  const { flags, large, end } = await startHostWithFlags(200_000)
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

describe('end of a command', () => {
  test('comes without an error when its reader closes', async () => {
    const { flags, large, end } = await startHostWithFlags(20_000)
    const child = startProgram(['tree', large.topicid, ...flags])
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await waitForExit(child)).toMatchObject({ code: 0, stderr: '' })
    await end()
  })

  test('comes with Ctrl+C and leaves nothing behind', async () => {
    const { flags, large, end } = await startHostWithFlags(20_000)
    const folder = createTempDir()
    const child = startProgram(['tree', large.topicid, ...flags], { env: { TMPDIR: folder } })
    child.stdout?.pause()
    const exited = new Promise((resolve) => child.once('exit', resolve))
    await new Promise((resolve) => child.stdout?.once('readable', resolve))
    // Nobody reads the output, so the program waits in the middle of the list.
    child.kill('SIGINT')
    expect(await exited).toBe(130)
    expect(readdirSync(folder)).toEqual([])
    await end()
  })
})

test('reads work beside a running app and store nothing', async () => {
  const { host, end } = await startHostWithFlags(20)
  const dataDir = createTempDir()
  const app = await startComposedApp(dataDir)
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  await app.call('profiles.save', { name: 'Work', baseUrl: host.baseUrl, auth, readOnly: true })
  const before = readFileSync(path.join(dataDir, 'profiles.json'), 'utf8')
  const env = { BRIDGE_TOKEN: host.token }
  const ownProfile = await runCommandLine(['status', '--profile', 'Work', '--data-dir', dataDir], { env })
  const listed = await runCommandLine(['profiles', '--json', '--data-dir', dataDir])
  const unknownProfile = await runCommandLine(['status', '--profile', 'Other', '--data-dir', dataDir])
  expect([ownProfile.code, listed.code, unknownProfile.code]).toEqual([0, 0, 2])
  expect(JSON.parse(listed.stdout.toString())).toMatchObject([{ profile: { name: 'Work', readOnly: true } }])
  expect(readFileSync(path.join(dataDir, 'profiles.json'), 'utf8')).toBe(before)
  expect((await app.call('traffic.info', {})).exchanges).toBe(0)
  await app.dispose()
  await end()
})

describe('output of documented members', () => {
  /**
   * Starts a host that sends this body where the path matches, and returns a function that
   * runs a command.
   */
  async function startHostWithBody(path: RegExp, body: object) {
    const other = respondJson({ app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' })
    const host = await startMisbehavingHost((socket, request) =>
      (path.test(request.path) ? respondJson(body) : other)(socket, request),
    )
    onTestFinished(() => host.close())
    const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    return async (...words: string[]): Promise<string[]> => {
      const { stdout } = await runCommandLine([...words, ...flags], { env: { BRIDGE_TOKEN: WRONG_TOKEN } })
      return stdout.toString().trimEnd().split(/\r?\n/)
    }
  }

  test('is complete for study sets and documents', async () => {
    const sets = await startHostWithBody(/study-sets$/, {
      studySets: [{ topicid: 'T', title: 'Cells', noteCount: 3, documentCount: 1, lastModifiedAt: 7 }],
    })
    expect(await sets('study-sets', '--format', 'csv')).toEqual([
      'topicid,title,noteCount,documentCount,lastModifiedAt',
      'T,Cells,3,1,7',
    ])
    expect(await sets('study-sets', '--format', 'text')).toEqual(['Cells  3 cards, 1 documents, changed 7  T'])
    const documents = await startHostWithBody(/documents$/, {
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

  test('is complete for a color, and shows each id of a search hit once', async () => {
    const rgba = { r: 1, g: 2, b: 3, a: 1 }
    const color = { colorIndex: 0, baseColor: { hex: '#010203', rgba }, displayColor: { hex: '#010203', rgba } }
    const palette = await startHostWithBody(/note-palette/, { colors: [color] })
    expect((await palette('palette', 'T', '--format', 'csv'))[1]).toBe('0,#010203,#010203,1,2,3,1,1,2,3,1')
    expect((await palette('palette', 'T', '--format', 'text'))[0]).toContain('rgba(1, 2, 3, 1)')
    const hit = { kind: 'note', title: 'x', noteid: 'N', noteId: 'N', topicid: 'T', id: 'N' }
    const search = await startHostWithBody(/search/, { hits: [hit] })
    expect(await search('search', 'x', '--format', 'csv')).toEqual([
      'kind,title,noteid,topicid,bookmd5,id',
      'note,x,N,T,,',
    ])
    expect((await search('search', 'x', '--format', 'text'))[0]).toMatch(/x {2}N {2}T$/)
  })
})

test('the error of a failed call contains the message of the host and when to retry', async () => {
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

test('the response of a broken host is printed, whatever it is', async () => {
  const page = '<h1>Broken</h1>'
  const host = await startMisbehavingHost(respond(page, { status: 500, type: 'text/html' }))
  const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
  const { code, stdout, stderr } = await runCommandLine(['call', 'GET', '/status', ...flags], {
    env: { BRIDGE_TOKEN: WRONG_TOKEN },
  })
  await host.close()
  expect([code, stdout.toString(), stderr]).toEqual([3, page, 'HTTP_500: The host answered with status 500.\n'])
})

describe('call', () => {
  const status = { app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' }

  /** Starts a host that sends these responses to GET /x in order, and repeats the last one. */
  async function startHostWithResponses(...responses: ReturnType<typeof respondJson>[]) {
    let index = 0
    const requestHeads: string[] = []
    const host = await startMisbehavingHost((socket, request) => {
      if (!request.path.endsWith('/x')) return respondJson(status)(socket, request)
      requestHeads.push(request.head)
      const respond = responses[Math.min(index, responses.length - 1)]
      index += 1
      respond?.(socket, request)
    })
    onTestFinished(() => host.close())
    const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir()]
    const callX = (...words: string[]) =>
      runCommandLine(['call', 'GET', '/x', ...words, ...flags], { env: { BRIDGE_TOKEN: WRONG_TOKEN } })
    return { asked: requestHeads, call: callX }
  }

  test('prints the response head, sends an additional header, and writes into a file', async () => {
    const { asked, call } = await startHostWithResponses(
      respond('body', { type: 'text/plain', headers: { 'X-Own': 'yes' } }),
    )
    const file = path.join(createTempDir(), 'answer')
    const printed = await call('-i', '-H', 'X-Trace: 7', '-H', 'Accept: text/plain')
    expect(printed.stdout.toString()).toMatch(/^HTTP\/1\.1 200\n(?:[\w-]+: .*\n)*X-Own: yes\n(?:[\w-]+: .*\n)*\nbody$/)
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
    const { asked, call } = await startHostWithResponses(respondJson({}))
    for (const header of [
      'Authorization: Bearer other',
      'authorization: x',
      'Host: other',
      'Origin: http://x',
      'Cookie: a=b',
      'Content-Length: 3',
      'X-HTTP-Method-Override: DELETE',
      `X-Own: ${WRONG_TOKEN}`,
      'no header',
    ]) {
      const { code, stdout } = await call('-H', header)
      expect([header, code === 0, stdout.toString()]).toEqual([header, false, ''])
    }
    expect(asked).toEqual([])
  })

  test('is repeated as often as --retry allows, and only if the host says that it may succeed', async () => {
    const busy = respond('{"error":{"code":"BUSY","message":"later"}}', {
      status: 503,
      headers: { 'Retry-After': '0' },
    })
    const busyTwice = await startHostWithResponses(busy, busy, respondJson({ ok: true }))
    expect((await busyTwice.call('--retry', '3')).stdout.toString()).toBe('{"ok":true}')
    expect(busyTwice.asked).toHaveLength(3)
    const alwaysBusy = await startHostWithResponses(busy)
    expect((await alwaysBusy.call('--retry', '1')).code).toBe(3)
    expect(alwaysBusy.asked).toHaveLength(2)
    const notFound = await startHostWithResponses(respond('{"error":{"code":"NO","message":"no"}}', { status: 404 }))
    expect((await notFound.call('--retry', '5')).code).toBe(3)
    expect(notFound.asked).toHaveLength(1)
    expect((await notFound.call('--retry', 'often')).code).toBe(2)
  })
})

test('a command at a host that hangs ends after --timeout', async () => {
  const host = await startMisbehavingHost(() => undefined)
  const flags = ['--base-url', host.baseUrl, '--data-dir', createTempDir(), '--timeout', '0.5']
  const env = { BRIDGE_TOKEN: WRONG_TOKEN }
  for (const words of [['status'], ['call', 'GET', '/x'], ['tree', 'x'], ['study-sets']]) {
    const { code, stderr } = await runCommandLine([...words, ...flags], { env })
    expect([words, code, stderr]).toEqual([words, 4, 'TIMEOUT: It did not end within 0.5 s (--timeout).\n'])
  }
  const write = ['call', 'POST', '/notes/N/title', '-d', '{"text":"x"}', '--write', '--yes']
  const { code, stderr } = await runCommandLine([...write, ...flags], { env })
  expect([code, stderr.split(':')[0]]).toEqual([4, 'TIMEOUT'])
  await host.close()
})

test('numbers and line breaks are printed as the host wrote them', async () => {
  const node = '{\n "noteid": "A", "title": "a\\n\\"b\\u0041", "big": 12345678901234567890, "n": 1.0 }'
  const tree = respond(`{"nodes":[${node}],"nodeTotal":1,"nextCursor":null}`)
  const other = respondJson({ app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' })
  const host = await startMisbehavingHost((socket, request) =>
    (/tree/.test(request.path) ? tree : other)(socket, request),
  )
  const flags = ['--base-url', `${host.baseUrl}`, '--data-dir', createTempDir()]
  const { stdout } = await runCommandLine(['tree', 'x', ...flags], { env: { BRIDGE_TOKEN: WRONG_TOKEN } })
  await host.close()
  expect(stdout.toString()).toBe('{"noteid":"A","title":"a\\n\\"b\\u0041","big":12345678901234567890,"n":1.0}\n')
})

test('a response with an error is a failure, whatever its status and media type', async () => {
  const error = JSON.stringify({ error: { code: 'SCENE_CLOSED', message: 'no scene is open' } })
  const other = respondJson({ app: 'Host', appVersion: '1', authorized: true, routes: [], bridgeApiVersion: '0.91' })
  const types = { tree: 'application/json', guide: 'text/markdown', content: 'image/png' }
  const host = await startMisbehavingHost((socket, request) => {
    const type = Object.entries(types).find(([name]) => request.path.includes(name))?.[1]
    return (type === undefined ? other : respond(error, { type }))(socket, request)
  })
  const env = { BRIDGE_TOKEN: WRONG_TOKEN }
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
])('an unfilled placeholder is named, and nothing is sent: %s %s', async (...args) => {
  const { code, stderr } = await runCommandLine(['call', ...args, '--base-url', 'http://127.0.0.1:9/bridge/v1'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^PARAM_MISSING: \{noteid\} in the path/)
})

test('a token is never accepted as an argument, and never printed', async () => {
  const file = path.join(createTempDir(), 'token')
  writeFileSync(file, WRONG_TOKEN)
  const runs = await Promise.all([
    runCommandLine(['status', '--token', WRONG_TOKEN]),
    runCommandLine(['status', `--token=${WRONG_TOKEN}`]),
    runCommandLine([WRONG_TOKEN]),
    runCommandLine(['status', `--tokn=${WRONG_TOKEN}`]),
    runCommandLine(['status', WRONG_TOKEN]),
    runCommandLine(['tree', 'x', '--format', WRONG_TOKEN]),
  ])
  expect(runs.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2])
  for (const { stdout, stderr } of runs) expect(stdout.toString() + stderr).not.toContain(WRONG_TOKEN)
  expect(existsSync(file)).toBe(true)
})
