import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handlePageRequest } from '../../../electron/desktop/page-protocol.ts'
import { createPageFileReader } from '../../../electron/page/page-files.ts'
import { createRecoveryFile } from '../../../electron/desktop/page-recovery.ts'
import { getDesktopTexts } from '../../../electron/desktop/texts.ts'

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
const get = (url: string, method = 'GET'): Promise<Response> =>
  handlePageRequest(
    { url, method },
    {
      source: createPageFileReader(path.join(folder, 'page'), () => look),
      recovery: (path) => createRecoveryFile(path, getDesktopTexts('en', [])),
    },
  )

describe('the app scheme', () => {
  test.each(['/', '/index.html'])(
    'serves %s with theme, density and language set before any script runs',
    async (pathname) => {
      const response = await get(`app://bridge-inspector${pathname}`)
      expect(await response.text()).toBe(
        '<html data-theme="dark" data-density="comfortable" data-locale="zh-CN" lang="en"><p>',
      )
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
    ['/recovery.css', 'text/css; charset=utf-8'],
  ])('safety 16: serves %s with its content type, the policy and nosniff', async (pathname, type) => {
    const response = await get(`app://bridge-inspector${pathname}?query=1#hash`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
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
  ])('responds to %s with 404 and the policy', async (pathname) => {
    const response = await get(`app://bridge-inspector${pathname}`)
    expect([response.status, await response.text()]).toEqual([404, 'There is no such page.'])
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test.each(['app://evil/', 'app://bridge-inspector.evil/', 'app://bridge-inspector:1/'])(
    'does not serve %s, which has another host',
    async (url) => {
      expect((await get(url)).status).toBe(404)
    },
  )

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('refuses the method %s', async (method) => {
    const response = await get('app://bridge-inspector/', method)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
  })
})
