import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { resolveFolderFile } from '../../../../electron/services/panel/site/folder-file.ts'
import { injectHelper, MAX_SEARCHED_BYTES } from '../../../../electron/services/panel/page/helper-script.ts'
import { sendRawRequest, buildRequestText } from '../../../support/browser/raw-http.ts'
import { openPanel, createPanelFolder, type OpenPanel } from '../../../support/program/panel.ts'

async function injected(pieces: readonly Buffer[]): Promise<string> {
  const page = Readable.toWeb(Readable.from(pieces)) as ReadableStream<Uint8Array<ArrayBuffer>>
  return (await buffer(injectHelper(page))).toString()
}

const helper = '<script src="/__inspector/host.js"></script>'

describe('the folder of a panel', () => {
  test('safety 30: nothing outside it and nothing hidden is served, whatever the path and its links say', async () => {
    const folder = createPanelFolder({ 'sub/a.js': 'a', '.env': 'TOKEN=1', 'sub/.git/config': 'x' })
    const secret = path.join(path.dirname(folder), 'secret.txt')
    writeFileSync(secret, 'secret')
    symlinkSync(secret, path.join(folder, 'link.txt'))
    symlinkSync(path.dirname(folder), path.join(folder, 'up'))
    symlinkSync(path.join(folder, 'sub', 'a.js'), path.join(folder, 'own.js'))
    const bad = [
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
    for (const one of bad) expect([one, resolveFolderFile(folder, one).kind]).toEqual([one, 'outside'])
    expect(resolveFolderFile(folder, '/own.js').kind).toBe('file')
    expect(resolveFolderFile(folder, '/sub').kind).toBe('folder')
    expect(resolveFolderFile(folder, '/nope.js').kind).toBe('missing')
    for (const name of ['/con', '/a:b', '/aux.txt'])
      expect(resolveFolderFile(folder, name, 'win32').kind).toBe('outside')
    const panel = await openPanel(folder)
    for (const one of bad) {
      const answer = await panel.requestAsPage('GET', one)
      expect([one, answer.status, answer.body.includes('secret')]).toEqual([one, 404, false])
    }
    const { notes } = await panel.composed.call('panel.notes', { after: 0 })
    expect(notes.some(({ kind, what }) => kind === 'refused' && what === 'file')).toBe(true)
  })

  test('safety 62: a visible link to a hidden name of the folder is refused as that name is', async () => {
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
    for (const one of ['/settings.txt', '/history/config', '/config.txt', '/well/']) {
      expect([one, (await panel.requestAsPage('GET', one)).status]).toEqual([one, 404])
    }
    expect((await panel.requestAsPage('GET', '/b.js')).body).toBe('a')
    // The folder itself may lie below a hidden one.
    expect(resolveFolderFile(path.join(folder, '.well'), '/').kind).toBe('file')
  })

  test('is served with media types, ranges and the headers that keep its page to itself', async () => {
    const panel = await openPanel(createPanelFolder({ 'a.js': '0123456789', 'odd.xyz': 'x' }))
    const whole = await panel.requestAsPage('GET', '/a.js')
    expect(whole.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': '10',
      'x-content-type-options': 'nosniff',
      'origin-agent-cluster': '?1',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(whole.headers['content-security-policy']).toContain("connect-src 'self'")
    expect(whole.headers['content-security-policy']).toMatch(
      /frame-ancestors http:\/\/127\.0\.0\.1:\d+ http:\/\/localhost:\d+;/,
    )
    const part = await panel.requestAsPage('GET', '/a.js', ['Range: bytes=2-4'])
    expect([part.status, part.headers['content-range'], part.body]).toEqual([206, 'bytes 2-4/10', '234'])
    expect((await panel.requestAsPage('GET', '/a.js', ['Range: bytes=90-'])).status).toBe(416)
    expect((await panel.requestAsPage('GET', '/odd.xyz')).headers['content-type']).toBe('application/octet-stream')
    expect((await panel.requestAsPage('POST', '/a.js')).status).toBe(405)
  })

  test('its page gets the helper first in its head; the same file fetched as data does not', async () => {
    const panel = await openPanel(createPanelFolder({ 'index.html': '<html><head><script>1</script></head></html>' }))
    const page = await panel.requestAsPage('GET', '/', ['Sec-Fetch-Dest: empty'])
    expect(page.body).not.toContain(helper)
    const shown = await panel.serveDirectly('/', { headers: { 'sec-fetch-dest': 'iframe' } })
    expect(await shown.text()).toBe(`<html><head>${helper}<script>1</script></head></html>`)
    const script = await panel.requestAsPage('GET', '/__inspector/host.js')
    expect([script.status, script.body.includes('window.host')]).toEqual([200, true])
    expect(script.body).toContain('prefers-color-scheme')
  })

  test.each([
    ['<!doctype html><!-- <head> --><title>x</title>', `<!doctype html>${helper}<!-- <head> --><title>x</title>`],
    ['<p>x', `${helper}<p>x`],
    ['<html lang="en"><body>', `<html lang="en">${helper}<body>`],
    ['<HEAD class="a>b">', `<HEAD class="a>${helper}b">`],
    ['\u{feff}<title>x', `\u{feff}${helper}<title>x`],
    ['<!-- not closed <head>', `${helper}<!-- not closed <head>`],
    ['<!doctype html><html><hea', `<!doctype html><html>${helper}<hea`],
    ['', helper],
  ])('the helper in %s, in one piece and byte for byte', async (html, expected) => {
    const bytes = Buffer.from(html)
    expect(await injected([bytes])).toBe(expected)
    expect(await injected([...bytes].map((byte) => Buffer.of(byte)))).toBe(expected)
  })

  test('the helper in a page whose head does not begin within what is searched', async () => {
    const comment = Buffer.from(`<!--${'x'.repeat(MAX_SEARCHED_BYTES)}--><head>`)
    expect(await injected([comment, Buffer.from('<p>')])).toBe(`${helper}${comment.toString()}<p>`)
  })

  test('its page may begin at a route with a query, and answer for every document that no file is there for', async () => {
    const folder = createPanelFolder({ 'index.html': '<p>app', 'real/index.html': '<p>real', '.env': 'x' })
    const ask = async (panel: OpenPanel, path: string, dest: string) => {
      const response = await panel.serveDirectly(path, { headers: { 'sec-fetch-dest': dest } })
      return [response.status, (await response.text()).replace(helper, '')]
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

  test('a file that its page fetches or imports and that is not there is named in the console', async () => {
    const panel = await openPanel(createPanelFolder())
    const ask = (path: string, dest: string) => panel.serveDirectly(path, { headers: { 'sec-fetch-dest': dest } })
    await ask('/data/cards.json?x=1', 'empty')
    await ask('/lib/missing.js', 'script')
    // The page itself tells what an element could not load.
    await ask('/missing.png', 'image')
    await ask('/favicon.ico', 'image')
    const { notes } = await panel.composed.call('panel.notes', { after: 0 })
    expect(notes.filter(({ kind }) => kind === 'error').map(({ text }) => text)).toEqual([
      'GET /data/cards.json: 404',
      'GET /lib/missing.js: 404',
    ])
  })

  test('changes load the page again, also after the folder was away', async () => {
    const folder = createPanelFolder()
    const panel = await openPanel(folder)
    const loads = async (): Promise<number> => (await panel.composed.call('panel.get', {})).load
    const first = await loads()
    writeFileSync(path.join(folder, 'new.js'), 'x')
    await expect.poll(loads, { timeout: 10_000 }).toBeGreaterThan(first)
    expect((await panel.composed.call('panel.get', {})).loadedBecause).toBe('changed')
    rmSync(folder, { recursive: true })
    await expect.poll(async () => (await panel.requestAsPage('GET', '/')).status, { timeout: 10_000 }).toBe(404)
    const away = await loads()
    mkdirSync(folder)
    writeFileSync(path.join(folder, 'index.html'), '<p>back')
    await expect.poll(loads, { timeout: 10_000 }).toBeGreaterThan(away)
    expect((await panel.requestAsPage('GET', '/')).body).toContain('back')
  })
})

describe('safety 30: the origin of a panel', () => {
  test('is known only to its page: any other host, page or document gets nothing', async () => {
    const panel = await openPanel(createPanelFolder())
    const { port, host } = panel
    const own = 'Sec-Fetch-Site: same-origin'
    const at = (name: string) => sendRawRequest(port, buildRequestText('GET', '/', [`Host: ${name}`, own]))
    for (const name of [
      '127.0.0.1',
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `${'0'.repeat(32)}.localhost:${port}`,
      `${host}.`,
    ]) {
      expect([name, (await at(name)).status]).toEqual([name, 404])
    }
    const foreign = [
      ['Sec-Fetch-Site: cross-site'],
      ['Sec-Fetch-Site: same-origin', 'Origin: http://evil.localhost'],
      ['Sec-Fetch-Site: none', 'Sec-Fetch-Dest: document'],
      ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Dest: document'],
    ]
    expect((await panel.requestAsPage('GET', '/', [`Host: ${host}`])).status).toBe(404)
    for (const headers of [[], ...foreign]) {
      const answer = await sendRawRequest(port, buildRequestText('GET', '/', [`Host: ${host}`, ...headers]))
      expect([headers, answer.status]).toEqual([headers, 403])
    }
    const frame = ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe']
    expect((await sendRawRequest(port, buildRequestText('GET', '/', [`Host: ${host}`, ...frame]))).status).toBe(200)
    expect((await panel.requestAsPage('GET', '/index.html', ['Service-Worker: script'])).status).toBe(403)
    await panel.composed.call('panel.stop', {})
    expect((await panel.requestAsPage('GET', '/')).status).toBe(404)
  })
})
