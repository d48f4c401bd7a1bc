import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Protocol, ProtocolResponse } from 'electron'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerPage, servePage } from '../../../electron/desktop/protocol.ts'
import { streamOf } from '../../../electron/desktop/scheme-answer.ts'
import { pageFiles } from '../../../electron/page/files.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'page-'))
  mkdirSync(path.join(folder, 'page', 'assets'), { recursive: true })
  mkdirSync(path.join(folder, 'page-next'))
  const files = {
    'index.html': '<html lang="en"><p>',
    'assets/a.js': '1',
    'assets/a.CSS': 'a{}',
    'assets/model.bin': 'x',
    'no-ending': 'x',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, 'page', name), text)
  writeFileSync(path.join(folder, 'secret.txt'), 'secret')
  writeFileSync(path.join(folder, 'page-next', 'secret.txt'), 'secret')
})
afterAll(() => rmSync(folder, { recursive: true }))

const look = { theme: 'dark', density: 'comfortable', locale: 'zh-CN' } as const
/** What the page gets, with its body as text. */
async function get(url: string, method = 'GET') {
  const source = pageFiles(path.join(folder, 'page'), () => look)
  const { status, headers, body } = await answerPage({ url, method }, { source, recovery: () => '<p>recovery' })
  return { status, headers, text: await text(streamOf(body)) }
}

describe('the app’s scheme', () => {
  test.each(['/', '/index.html'])(
    '%s has the theme, the density and the language that are set, before any script runs',
    async (pathname) => {
      const response = await get(`app://bridge-inspector${pathname}`)
      expect(response.text).toBe('<html data-theme="dark" data-density="comfortable" data-locale="zh-CN" lang="en"><p>')
    },
  )

  test.each([
    ['/', 'text/html; charset=utf-8'],
    ['/index.html', 'text/html; charset=utf-8'],
    ['/assets/a.js', 'text/javascript; charset=utf-8'],
    ['/assets/a.CSS', 'text/css; charset=utf-8'],
    ['/assets/model.bin', 'application/octet-stream'],
    ['/no-ending', 'application/octet-stream'],
    ['/recovery', 'text/html; charset=utf-8'],
  ])('safety 16: %s has its type, the policy and nosniff', async (pathname, type) => {
    const response = await get(`app://bridge-inspector${pathname}?query=1#hash`)
    expect([response.status, response.headers['content-type']]).toEqual([200, type])
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    expect(response.headers['x-content-type-options']).toBe('nosniff')
    expect(response.headers).not.toHaveProperty('access-control-allow-origin')
  })

  test.each([
    '/missing.js',
    '/assets',
    '/..%2Fsecret.txt',
    '/%2e%2e/secret.txt',
    '/..%2f..%2f..%2f..%2fetc%2fpasswd',
    '/..%2Fpage-next%2Fsecret.txt',
    '/..%5csecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '//etc/passwd',
    '/%2Fetc%2Fpasswd',
    '/index.html%00.js',
    '/%E0%A4%A',
  ])('%s is not there, and the refusal carries the policy too', async (pathname) => {
    const response = await get(`app://bridge-inspector${pathname}`)
    expect([response.status, response.text]).toEqual([404, 'There is no such page.'])
    expect(response.headers['content-security-policy']).toContain("default-src 'none'")
  })

  test.each(['app://evil/', 'app://bridge-inspector.evil/', 'app://bridge-inspector:1/'])(
    '%s is not ours',
    async (url) => {
      expect((await get(url)).status).toBe(404)
    },
  )

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('%s is refused', async (method) => {
    const answer = await get('app://bridge-inspector/', method)
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET'])
  })
})

type Handler = Parameters<Protocol['registerStreamProtocol']>[1]

describe('how the scheme is registered', () => {
  const served = async (source: () => Promise<never>) => {
    let handler: Handler | null = null
    const protocol = {
      registerStreamProtocol(_scheme: string, given: Handler) {
        handler = given
        return true
      },
    }
    const recovery = () => '<p>recovery'
    servePage(protocol, { source, recovery }, async () => ({ status: 200, headers: {}, body: 'listing' }))
    return (method: string, url: string): Promise<ProtocolResponse> =>
      new Promise((resolve) =>
        handler?.({ method, url, headers: {}, referrer: '' }, (answer) => resolve(answer as ProtocolResponse)),
      )
  }
  const bodyOf = ({ data }: ProtocolResponse): Promise<string> => text(data as Readable)

  test('listings have an answer of their own', async () => {
    const ask = await served(() => Promise.reject(new Error('not asked')))
    expect(await bodyOf(await ask('POST', 'app://bridge-inspector/ipc/listing'))).toBe('listing')
    expect(await bodyOf(await ask('GET', 'app://bridge-inspector/recovery'))).toBe('<p>recovery')
  })

  test('a file that cannot be had is a failed request, not one without an end', async () => {
    const ask = await served(() => Promise.reject(new Error('gone')))
    expect(await ask('GET', 'app://bridge-inspector/')).toEqual({ error: -2 })
  })

  test('a scheme that is taken is an error', () => {
    const taken = { registerStreamProtocol: () => false }
    expect(() => servePage(taken, { source: async () => null, recovery: () => '' }, () => Promise.reject())).toThrow()
  })
})
