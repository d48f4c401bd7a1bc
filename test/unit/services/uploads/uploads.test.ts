import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync, readdirSync } from 'node:fs'
import os from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { TOKEN } from '../../../support/services/test-client.ts'
import { startComposedApp, type ComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { Uploads } from '../../../../electron/services/uploads/uploads.ts'

const bytes = Buffer.from('A document of a few bytes.\n'.repeat(40_000))
const PIECE = 512 * 1024

/** Hands the file over as a page does. */
async function handOver(app: ComposedApp, file = bytes, upTo = file.byteLength): Promise<string> {
  const { uploadId } = await app.call('uploads.begin', { size: file.byteLength })
  for (let offset = 0; offset < upTo; offset += PIECE) {
    const piece = file.subarray(offset, Math.min(upTo, offset + PIECE))
    await app.call('uploads.add', { uploadId, offset, data: piece.toString('base64') })
  }
  return uploadId
}

const draft = (upload?: string, more = {}) => ({
  endpoint: 'library.upload',
  params: {},
  query: { filename: 'Notes.pdf', ...more },
  ...(upload === undefined ? {} : { upload }),
})

async function online(flags: string[]): Promise<ComposedApp> {
  const app = await startComposedApp(createTempDir(), flags, { env: { BRIDGE_TOKEN: TOKEN } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  return app
}

/** A host that keeps what an upload holds; `take` may answer, or not. */
async function hostWith(take: (request: IncomingMessage, done: (value: unknown) => void) => void) {
  const server = createServer((request, response) => {
    const said = (value: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (request.url?.endsWith('/status')) return said({ app: 'Other', bridgeApiVersion: '1', authorized: true })
    if (request.method === 'GET') return said({ routes: [{ method: 'GET', path: '/capabilities' }] })
    take(request, said)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the bytes travel whole, as they were handed over, once, with confirm in the query', async () => {
  const seen: { url: string; type: string; length: string; body: Buffer }[] = []
  const app = await online([
    '--base-url',
    await hostWith((request, done) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        const { url = '', headers } = request
        const [type = '', length = ''] = [headers['content-type'], headers['content-length']]
        seen.push({ url, type, length, body: Buffer.concat(pieces) })
        done({ persisted: true, bookmd5: 'B', addedToStudySet: false, movedToFolder: true })
      })
    }),
  ])
  const uploadId = await handOver(app)
  const prepared = await app.call('operations.prepare', draft(uploadId, { folder: 'A b/C' }))
  expect(prepared).toMatchObject({
    path: '/library/documents/upload?filename=Notes.pdf&folder=A%20b%2FC&confirm=1',
    added: ['confirm'],
    body: null,
    canPreview: false,
    file: { size: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') },
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes.byteLength) },
  })
  expect(seen).toEqual([])
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(summary.verdict.persisted).toBe(true)
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ url: `/bridge/v1${prepared.path}`, type: 'application/octet-stream' })
  expect(seen[0]?.body.equals(bytes)).toBe(true)
  const last = app.events.filter(({ topic }) => topic === 'uploads.progress').at(-1)
  expect(last?.payload).toEqual({ uploadId, sent: bytes.byteLength, total: bytes.byteLength })
  // Sent is sent: the file is not here for a second time.
  expect(await app.callExpectingError('operations.prepare', draft(uploadId))).toMatchObject({ code: 'UPLOAD_UNKNOWN' })
})

test('cancelling ends it on the wire; what the host made of its part is not known, and it is not sent again', async () => {
  let requests = 0
  let received = 0
  let closed = false
  const app = await online([
    '--base-url',
    await hostWith((request) => {
      requests += 1
      request.once('close', () => (closed = true))
      request.on('data', (piece: Buffer) => {
        received += piece.byteLength
        request.pause()
        setTimeout(() => request.resume(), 20)
      })
    }),
  ])
  const large = Buffer.alloc(24 * 1024 * 1024, 7)
  const uploadId = await handOver(app, large)
  const { ticket } = await app.call('operations.prepare', draft(uploadId))
  const sending = app.call('operations.send', { ticket })
  await expect.poll(() => received).toBeGreaterThan(0)
  await app.call('uploads.cancel', { uploadId })
  const { summary } = await sending
  expect(summary.state).toMatch(/^unknown/)
  await expect.poll(() => closed).toBe(true)
  expect(requests).toBe(1)
  expect(received).toBeLessThan(large.byteLength)
  expect(await app.callExpectingError('operations.send', { ticket })).toMatchObject({ code: 'TICKET_INVALID' })
})

test('a part of a file, none, or one for a route that takes none is refused, and nothing is sent', async () => {
  const app = await online(['--base-url', await hostWith(() => expect.unreachable())])
  const part = await handOver(app, bytes, PIECE)
  const refusals: [object, string][] = [
    [draft(part), 'UPLOAD_INCOMPLETE'],
    [draft(), 'UPLOAD_NEEDS_FILE'],
    [draft('nothing'), 'UPLOAD_UNKNOWN'],
    [{ ...draft(part), endpoint: 'studySets.create', query: {}, body: { title: 'T' } }, 'UPLOAD_NEEDS_FILE'],
  ]
  for (const [input, code] of refusals)
    expect(await app.callExpectingError('operations.prepare', input)).toMatchObject({ code })
  const again = { uploadId: part, offset: 0, data: 'AAAA' }
  expect(await app.callExpectingError('uploads.add', again)).toMatchObject({ code: 'UPLOAD_OUT_OF_STEP' })
  await app.call('uploads.drop', { uploadId: part })
  expect(await app.callExpectingError('uploads.add', again)).toMatchObject({ code: 'UPLOAD_UNKNOWN' })
})

test('the demo host takes a document into a folder and a study set', async () => {
  const app = await online(['--demo'])
  const text = (reply: { bytes: ArrayBuffer }): string => new TextDecoder().decode(reply.bytes)
  const read = async (endpoint: string, query = {}) =>
    text((await app.call('bridge.read', { endpoint, params: {}, query })) as never)
  const [topicid = ''] = /(?<="topicid":")[^"]+/.exec(await read('studySets.list')) ?? []
  const uploadId = await handOver(app)
  const { ticket } = await app.call('operations.prepare', draft(uploadId, { folder: 'New folder', topicid }))
  const record = await app.call('operations.send', { ticket })
  expect(record.events.find(({ kind }) => kind === 'answer')).toMatchObject({ status: 200 })
  expect(record.summary.verdict.done).toBe('yes')
  // Nobody asked for a study set: that it is in none is no part that is missing.
  const second = await app.call(
    'operations.prepare',
    draft(await handOver(app, Buffer.from('other')), { filename: 'B.pdf' }),
  )
  const { summary } = await app.call('operations.send', { ticket: second.ticket })
  expect([summary.state, summary.verdict.done]).toEqual(['persisted', 'yes'])
  expect(await read('library.folders', { path: 'New folder' })).toContain('Notes.pdf')
})

test('what a page leaves behind goes with it, and with the program', () => {
  const uploads = new Uploads({ publish: () => undefined })
  const before = readdirSync(os.tmpdir()).filter((name) => name.startsWith('bridge-inspector-upload-'))
  const mine = uploads.begin('page', 3)
  uploads.add('page', mine, 0, Buffer.from('abc'))
  const other = uploads.begin('other', 3)
  const { path } = uploads.getFile(mine)
  expect(() => uploads.add('page', other, 0, Buffer.from('abc'))).toThrow()
  uploads.dropAll('page')
  expect(existsSync(path)).toBe(false)
  expect(() => uploads.getFile(mine)).toThrow()
  uploads.close()
  expect(readdirSync(os.tmpdir()).filter((name) => name.startsWith('bridge-inspector-upload-'))).toEqual(before)
})
