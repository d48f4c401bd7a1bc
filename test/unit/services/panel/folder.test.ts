import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { resolveFolderFile } from '../../../../electron/services/panel/site/folder-file.ts'
import { injectHelperTag, MAX_HEAD_SEARCH_BYTES } from '../../../../electron/services/panel/page/helper-script.ts'
import { sendRawRequest, buildRequestText } from '../../../support/browser/raw-http.ts'
import { openPanel, createPanelFolder, type OpenPanel } from '../../../support/program/panel.ts'

async function injectIntoPieces(pieces: readonly Buffer[]): Promise<string> {
  const page = Readable.toWeb(Readable.from(pieces)) as ReadableStream<Uint8Array<ArrayBuffer>>
  return (await buffer(injectHelperTag(page))).toString()
}

const HELPER_TAG = '<script src="/__inspector/host.js"></script>'

describe('folder of a panel', () => {
  test('safety 30: serves nothing outside it and nothing hidden, whatever the path and its links are', async () => {
    const folder = createPanelFolder({ 'sub/a.js': 'a', '.env': 'TOKEN=1', 'sub/.git/config': 'x' })
    const secret = path.join(path.dirname(folder), 'secret.txt')
    writeFileSync(secret, 'secret')
    symlinkSync(secret, path.join(folder, 'link.txt'))
    symlinkSync(path.dirname(folder), path.join(folder, 'up'))
    symlinkSync(path.join(folder, 'sub', 'a.js'), path.join(folder, 'own.js'))
    const forbiddenPaths = [
      ...['/../secret.txt', '/%2e%2e/secret.txt', '/sub/../../secret.txt', '/..%2fsecret.txt', '/%2e%2e%2fsecret.txt'],
      ...[
        '/link.txt',
        '/up/secret.txt',
        '/.env',
        '/sub/.git/config',
        '/sub//a.js',
        '/a%00.js',
        '/..%5csecret.txt',
        '/%zz',
      ],
    ]
    for (const forbiddenPath of forbiddenPaths)
      expect([forbiddenPath, resolveFolderFile(folder, forbiddenPath).kind]).toEqual([forbiddenPath, 'outside'])
    expect(resolveFolderFile(folder, '/own.js').kind).toBe('file')
    expect(resolveFolderFile(folder, '/sub').kind).toBe('folder')
    expect(resolveFolderFile(folder, '/nope.js').kind).toBe('missing')
    for (const name of ['/con', '/a:b', '/aux.txt'])
      expect(resolveFolderFile(folder, name, 'win32').kind).toBe('outside')
    const panel = await openPanel(folder)
    for (const forbiddenPath of forbiddenPaths) {
      const response = await panel.requestAsPage('GET', forbiddenPath)
      expect([forbiddenPath, response.status, response.body.includes('secret')]).toEqual([forbiddenPath, 404, false])
    }
    const { notes } = await panel.composed.call('panel.notes', { after: 0 })
    expect(notes.some(({ kind, what }) => kind === 'refused' && what === 'file')).toBe(true)
  })

  test('safety 62: refuses a visible link to a hidden file like the hidden file', async () => {
    const folder = createPanelFolder({
      '.env': 'TOKEN=1',
      '.git/config': 'url = x',
      '.well/index.html': 'x',
      'a.js': 'a',
    })
    for (const [target, link] of [
      ['.env', 'settings.txt'],
      ['.git', 'history'],
      ['.git/config', 'config.txt'],
      ['.well', 'well'],
      ['a.js', 'b.js'],
    ] as const) {
      symlinkSync(path.join(folder, target), path.join(folder, link))
    }
    const panel = await openPanel(folder)
    for (const linkPath of ['/settings.txt', '/history/config', '/config.txt', '/well/']) {
      expect([linkPath, (await panel.requestAsPage('GET', linkPath)).status]).toEqual([linkPath, 404])
    }
    expect((await panel.requestAsPage('GET', '/b.js')).body).toBe('a')
    // The folder itself may be inside a hidden one.
    expect(resolveFolderFile(path.join(folder, '.well'), '/').kind).toBe('file')
  })

  test('serves files with media types, ranges and the headers that isolate the page', async () => {
    const panel = await openPanel(createPanelFolder({ 'a.js': '0123456789', 'odd.xyz': 'x' }))
    const completeFile = await panel.requestAsPage('GET', '/a.js')
    expect(completeFile.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': '10',
      'x-content-type-options': 'nosniff',
      'origin-agent-cluster': '?1',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(completeFile.headers['content-security-policy']).toContain("connect-src 'self'")
    expect(completeFile.headers['content-security-policy']).toMatch(
      /frame-ancestors http:\/\/127\.0\.0\.1:\d+ http:\/\/localhost:\d+;/,
    )
    const part = await panel.requestAsPage('GET', '/a.js', ['Range: bytes=2-4'])
    expect([part.status, part.headers['content-range'], part.body]).toEqual([206, 'bytes 2-4/10', '234'])
    expect((await panel.requestAsPage('GET', '/a.js', ['Range: bytes=90-'])).status).toBe(416)
    expect((await panel.requestAsPage('GET', '/odd.xyz')).headers['content-type']).toBe('application/octet-stream')
    expect((await panel.requestAsPage('POST', '/a.js')).status).toBe(405)
  })

  test('puts the helper first into the head of the page, but not into the same file fetched as data', async () => {
    const panel = await openPanel(createPanelFolder({ 'index.html': '<html><head><script>1</script></head></html>' }))
    const page = await panel.requestAsPage('GET', '/', ['Sec-Fetch-Dest: empty'])
    expect(page.body).not.toContain(HELPER_TAG)
    const frameResponse = await panel.serveDirectly('/', { headers: { 'sec-fetch-dest': 'iframe' } })
    expect(await frameResponse.text()).toBe(`<html><head>${HELPER_TAG}<script>1</script></head></html>`)
    const script = await panel.requestAsPage('GET', '/__inspector/host.js')
    expect([script.status, script.body.includes('window.host')]).toEqual([200, true])
    expect(script.body).toContain('prefers-color-scheme')
  })

  test.each([
    ['<!doctype html><!-- <head> --><title>x</title>', `<!doctype html>${HELPER_TAG}<!-- <head> --><title>x</title>`],
    ['<p>x', `${HELPER_TAG}<p>x`],
    ['<html lang="en"><body>', `<html lang="en">${HELPER_TAG}<body>`],
    ['<HEAD class="a>b">', `<HEAD class="a>${HELPER_TAG}b">`],
    ['\u{feff}<title>x', `\u{feff}${HELPER_TAG}<title>x`],
    ['<!-- not closed <head>', `${HELPER_TAG}<!-- not closed <head>`],
    ['<!doctype html><html><hea', `<!doctype html><html>${HELPER_TAG}<hea`],
    ['', HELPER_TAG],
  ])('puts the helper into %s, in one piece and byte for byte', async (html, expected) => {
    const bytes = Buffer.from(html)
    expect(await injectIntoPieces([bytes])).toBe(expected)
    expect(await injectIntoPieces([...bytes].map((byte) => Buffer.of(byte)))).toBe(expected)
  })

  test('puts the helper first if the head does not begin within the searched bytes', async () => {
    const comment = Buffer.from(`<!--${'x'.repeat(MAX_HEAD_SEARCH_BYTES)}--><head>`)
    expect(await injectIntoPieces([comment, Buffer.from('<p>')])).toBe(`${HELPER_TAG}${comment.toString()}<p>`)
  })

  test('may start at a route with a query, and serve its page for every document without a file', async () => {
    const folder = createPanelFolder({ 'index.html': '<p>app', 'real/index.html': '<p>real', '.env': 'x' })
    const ask = async (panel: OpenPanel, path: string, dest: string) => {
      const response = await panel.serveDirectly(path, { headers: { 'sec-fetch-dest': dest } })
      return [response.status, (await response.text()).replace(HELPER_TAG, '')]
    }
    const plain = await openPanel(folder)
    expect((await ask(plain, '/cards/1', 'iframe'))[0]).toBe(404)
    const routed = await openPanel({ kind: 'folder', path: folder, start: '/cards/1?theme=dark', fallback: true })
    expect(new URL(routed.state.url ?? '').href).toMatch(/\/cards\/1\?theme=dark$/)
    expect(await ask(routed, '/cards/1?theme=dark', 'iframe')).toEqual([200, '<p>app'])
    expect(await ask(routed, '/real/', 'iframe')).toEqual([200, '<p>real'])
    expect((await ask(routed, '/cards/1', 'empty'))[0]).toBe(404)
    expect((await ask(routed, '/.env', 'iframe'))[0]).toBe(404)
    const { sources } = await routed.composed.call('panel.recent', {})
    expect(sources[0]).toEqual({ kind: 'folder', path: folder, start: '/cards/1?theme=dark', fallback: true })
  })

  test('names a missing file that its page fetches or imports in the console', async () => {
    const panel = await openPanel(createPanelFolder())
    const request = (path: string, dest: string) => panel.serveDirectly(path, { headers: { 'sec-fetch-dest': dest } })
    await request('/data/cards.json?x=1', 'empty')
    await request('/lib/missing.js', 'script')
    // The page itself reports elements that could not load.
    await request('/missing.png', 'image')
    // A browser asks for it by itself, and must not report it as an error of the page.
    expect((await request('/favicon.ico', 'image')).status).toBe(204)
    const { notes } = await panel.composed.call('panel.notes', { after: 0 })
    expect(notes.filter(({ kind }) => kind === 'error').map(({ text }) => text)).toEqual([
      'GET /data/cards.json: 404',
      'GET /lib/missing.js: 404',
    ])
  })

  test('loads the page again after changes, also after the folder was missing', async () => {
    const folder = createPanelFolder()
    const panel = await openPanel(folder)
    const fetchLoadCount = async (): Promise<number> => (await panel.composed.call('panel.get', {})).load
    const first = await fetchLoadCount()
    writeFileSync(path.join(folder, 'new.js'), 'x')
    await expect.poll(fetchLoadCount).toBeGreaterThan(first)
    expect((await panel.composed.call('panel.get', {})).loadedBecause).toBe('changed')
    rmSync(folder, { recursive: true })
    await expect.poll(async () => (await panel.requestAsPage('GET', '/')).status).toBe(404)
    const loadCountWithoutFolder = await fetchLoadCount()
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'index.html'), '<p>back')
    await expect.poll(fetchLoadCount).toBeGreaterThan(loadCountWithoutFolder)
    expect((await panel.requestAsPage('GET', '/')).body).toContain('back')
  })
})

describe('safety 30: origin of a panel', () => {
  test('serves only its own page, and no other host, page or document', async () => {
    const panel = await openPanel(createPanelFolder())
    const { port, host } = panel
    const sameOriginHeader = 'Sec-Fetch-Site: same-origin'
    const requestWithHost = (name: string) =>
      sendRawRequest(port, buildRequestText('GET', '/', [`Host: ${name}`, sameOriginHeader]))
    for (const name of [
      '127.0.0.1',
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `${'0'.repeat(32)}.localhost:${port}`,
      `${host}.`,
    ]) {
      expect([name, (await requestWithHost(name)).status]).toEqual([name, 404])
    }
    const foreignHeaders = [
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: same-origin', 'Origin: http://evil.localhost'],
      ['Sec-Fetch-Site: none', 'Sec-Fetch-Dest: document'],
      ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Dest: document'],
    ]
    expect((await panel.requestAsPage('GET', '/', [`Host: ${host}`])).status).toBe(404)
    for (const headers of [[], ...foreignHeaders]) {
      const response = await sendRawRequest(port, buildRequestText('GET', '/', [`Host: ${host}`, ...headers]))
      expect([headers, response.status]).toEqual([headers, 403])
    }
    const frame = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe']
    expect((await sendRawRequest(port, buildRequestText('GET', '/', [`Host: ${host}`, ...frame]))).status).toBe(200)
    expect((await panel.requestAsPage('GET', '/index.html', ['Service-Worker: script'])).status).toBe(403)
    await panel.composed.call('panel.stop', {})
    expect((await panel.requestAsPage('GET', '/')).status).toBe(404)
  })
})
