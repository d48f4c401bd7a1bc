import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { handleContentRequest, CONTENT_SCHEME, contentScheme } from '../../../electron/desktop/content-protocol.ts'
import { denySessionDownloads } from '../../../electron/desktop/permissions.ts'
import type { ContentReader } from '../../../electron/handlers/app-ports.ts'
import type { ContentRequest } from '../../../electron/services/media/content-response.ts'
import { fakeSession, notes } from './fakes.ts'

const HANDLE = 'abcdefghijklmnopqrstuvwxyz012345'
const requests: ContentRequest[] = []
const content: ContentReader = async (request) => {
  requests.push(request)
  const body = request.handle === '' ? null : Readable.from([Buffer.from('by'), Buffer.from('tes')])
  return { status: body ? 206 : 404, headers: { 'Content-Type': 'image/png', 'Content-Range': 'bytes 0-4/9' }, body }
}

const ask = async (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> => {
  requests.length = 0
  return handleContentRequest(
    { url, method, headers: new Headers(headers), signal: new AbortController().signal },
    content,
    'desktop/7/',
  )
}

describe('the content scheme', () => {
  test('safety 16: may stream, and has no other privilege', () => {
    expect(contentScheme).toEqual({
      scheme: 'bridge-content',
      privileges: { standard: true, secure: true, stream: true },
    })
    expect(CONTENT_SCHEME).toBe('bridge-content')
  })

  test('returns the response of the gateway', async () => {
    const response = await ask(`bridge-content://bridge-inspector/${HANDLE}`, {
      range: 'bytes=0-4',
      accept: 'image/png,*/*',
    })
    expect([response.status, await response.text()]).toEqual([206, 'bytes'])
    expect(response.headers.get('content-range')).toBe('bytes 0-4/9')
    expect(requests).toMatchObject([
      { method: 'GET', handle: HANDLE, range: 'bytes=0-4', isDownload: false, isForImage: true, canTakePieces: false },
    ])
  })

  test('safety 18: tells the gateway whether a request is for an image', async () => {
    await ask(`bridge-content://bridge-inspector/${HANDLE}`, { accept: 'text/html,*/*' })
    expect(requests[0]?.isForImage).toBe(false)
  })

  test.each([
    'bridge-content://bridge-inspector/',
    'bridge-content://bridge-inspector/a/b',
    'bridge-content://bridge-inspector/..%2fnotes',
    'bridge-content://bridge-inspector/%00',
    `bridge-content://bridge-inspector/${'a'.repeat(101)}`,
    `bridge-content://evil/${HANDLE}`,
    `bridge-content://bridge-inspector.evil/${HANDLE}`,
  ])('safety 19: rejects %s, which is not a handle', async (url) => {
    expect((await ask(url)).status).toBe(404)
    expect(requests).toMatchObject([{ handle: '' }])
  })

  test('safety 19: serves only handles of its window, across reloads', async () => {
    await ask(`bridge-content://bridge-inspector/${HANDLE}`)
    const may = requests[0]?.canUse
    expect(['desktop/7/0', 'desktop/7/12'].map((page) => may?.(page))).toEqual([true, true])
    expect(['desktop/8/0', 'desktop/77/0', 'browser/x/y', ''].map((page) => may?.(page))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('ends the gateway request if the response is not read', async () => {
    let closed = false
    const body = new Readable({
      read() {
        this.push(Buffer.alloc(1_000))
      },
      destroy(error, done) {
        closed = true
        done(error)
      },
    })
    const endless: ContentReader = async () => ({ status: 200, headers: {}, body })
    const request = {
      url: `bridge-content://bridge-inspector/${HANDLE}`,
      method: 'GET',
      headers: new Headers(),
      signal: new AbortController().signal,
    }
    const response = await handleContentRequest(request, endless, 'desktop/7/')
    await response.body?.cancel()
    expect(closed).toBe(true)
  })
})

describe('downloads', () => {
  test.each([
    ['blob:app://bridge-inspector/1b9d6bcd', false],
    ['blob:app://bridge-inspector.evil/x', true],
    ['blob:null/x', true],
    ['bridge-content://bridge-inspector/x', true],
    ['https://example.org/x.exe', true],
    ['data:text/plain,x', true],
    ['app://bridge-inspector/index.html', true],
    ['file:///etc/passwd', true],
  ])('of %s are refused: %s', (url, refused) => {
    const { session, bus } = fakeSession()
    const { note, lines } = notes()
    denySessionDownloads(session, note, () => undefined)
    let prevented = false
    const item = Object.assign(new EventEmitter(), { getURL: () => url })
    bus.emit('will-download', { preventDefault: () => (prevented = true) }, item)
    expect(prevented).toBe(refused)
    expect(lines).toEqual(refused ? ['download refused {}'] : [])
  })

  test('are reported once they are written, and not if the user cancels', () => {
    const { session, bus } = fakeSession()
    const saved: string[] = []
    denySessionDownloads(session, notes().note, (file) => saved.push(file))
    for (const state of ['cancelled', 'completed']) {
      const item = Object.assign(new EventEmitter(), {
        getURL: () => 'blob:app://bridge-inspector/1b9d6bcd',
        getSavePath: () => `/home/${state}.csv`,
      })
      bus.emit('will-download', {}, item)
      item.emit('done', {}, state)
    }
    expect(saved).toEqual(['/home/completed.csv'])
  })
})
