import { execFile } from 'node:child_process'
import net, { type AddressInfo, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findPeer, canUseKey, readSocketTable } from '../../../electron/browser-host/peer.ts'
import { parseSocketTable } from '../../../electron/system/socket-table.ts'
import { createFakeDispatcher, loginKeyOf, emptyContentReader } from '../../support/browser/browser-host-session.ts'
import { startBrowserHost, type BrowserHostOptions } from '../../../electron/browser-host/index.ts'
import { sendRawRequest, buildRequestText } from '../../support/browser/raw-http.ts'

const run = promisify(execFile)
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const row = (local: string, remote: string, state: string, uid: number, inode: number): string =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 000000 100 0 0 10 0`
const V6 = '0000000000000000FFFF00000100007F'
const DOOR = row('0100007F:1F90', '00000000:0000', '0A', 1000, 11)
/** What findPeer is asked: 127.0.0.1:40000 talks to our port 8080. */
const ends = { localPort: 8080, remotePort: 40_000, remoteAddress: '127.0.0.1' }
const peer = (...rows: string[]) => findPeer(ends, parseSocketTable([HEAD, ...rows].join('\n')))

describe('who owns a connection', () => {
  it('safety 25: is read from the row of its other end', () => {
    const own = row('0100007F:1F90', '0100007F:9C40', '01', 1000, 12)
    expect(peer(DOOR, own, row('0100007F:9C40', '0100007F:1F90', '01', 1001, 13))).toBe(1001)
    expect(peer(DOOR, own, row('0100007F:9C41', '0100007F:1F90', '01', 1001, 13))).toBe('gone')
    expect(peer(DOOR, own, row('0200007F:9C40', '0100007F:1F90', '01', 1001, 13))).toBe('gone')
    expect(peer(DOOR, own, row('0100007F:9C40', '0100007F:1F91', '01', 1001, 13))).toBe('gone')
  })

  it('safety 25: even if it uses an IPv6 socket', () => {
    expect(peer(DOOR, row(`${V6}:9C40`, `${V6}:1F90`, '01', 1001, 13))).toBe(1001)
  })

  it('safety 25: an abandoned end is not root’s', () => {
    expect(peer(DOOR, row('0100007F:9C40', '0100007F:1F90', '05', 0, 0))).toBe('gone')
  })

  it('is unknown without a table, or with one that does not even list our own port', () => {
    expect(findPeer(ends, null)).toBe('untold')
    expect(peer()).toBe('untold')
    expect(peer(row('0100007F:9C40', '0100007F:1F90', '01', 1001, 13))).toBe('untold')
  })

  it('malformed lines are skipped, and the other byte order is read', () => {
    const odd = ['', 'x', row('0100007F', '0100007F:1F90', '01', 1, 1), row('Z:1', '0:2', '01', 1, 1), '1: 0:0 0:0 01']
    expect(parseSocketTable([HEAD, ...odd].join('\n'))).toEqual([])
    const [big] = parseSocketTable(row('7F000001:9C40', `${'0'.repeat(31)}1:1F90`, '0A', 7, 9), false)
    expect(big).toEqual({
      local: { address: '127.0.0.1', port: 40_000 },
      remote: { address: `${'0'.repeat(31)}1`, port: 8080 },
      isListening: true,
      uid: 7,
    })
  })

  it.runIf(process.platform === 'linux')('safety 25: is read from this machine’s own tables', async () => {
    const server = net.createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
    const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
    const socket = await accepted
    expect(findPeer(socket, readSocketTable())).toBe(process.getuid?.())
    client.destroy()
    server.close()
  })

  it.each([
    ['our own user', 1000, 1000, {}, true],
    ['another user', 1001, 1000, {}, false],
    ['root, who can read everything anyway', 0, 1000, {}, true],
    ['nobody any more', 'gone', 1000, {}, false],
    ['untold', 'untold', 1000, {}, true],
    ['a system without users', 'untold', undefined, {}, true],
    ['another user than root', 1000, 0, {}, false],
    ['who started us with sudo', 1000, 0, { SUDO_UID: '1000' }, true],
    ['another one than who started us with sudo', 1001, 0, { SUDO_UID: '1000' }, false],
    ['somebody named by a variable that is not sudo’s', 1001, 1000, { SUDO_UID: '1001' }, false],
  ] as const)('safety 25: %s', (_name, who, own, env, may) => {
    expect(canUseKey(who, own, env)).toBe(may)
  })
})

describe('safety 25: a key read by another user of the machine', () => {
  const start = (options: Partial<BrowserHostOptions>) =>
    startBrowserHost({
      dispatcher: createFakeDispatcher(),
      contentReader: emptyContentReader,
      assets: async () => undefined,
      port: 0,
      ...options,
    })
  const open = (port: number, key: string) =>
    sendRawRequest(port, buildRequestText('GET', `/?key=${key}`, [`Host: 127.0.0.1:${port}`, 'Accept: text/html']))

  it('does not let them in, is not used up, and is reported once', async () => {
    const [tried, fresh, letIn]: [number[], string[], number[]] = [[], [], []]
    let who = 4_711
    const host = await start({
      identifyPeer: () => who,
      onForeignUser: (uid) => tried.push(uid),
      onFreshLink: (url) => fresh.push(url),
      onAdmission: () => letIn.push(1),
    })
    const key = loginKeyOf(host.url)
    for (let times = 0; times < 3; times += 1) {
      const answer = await open(host.port, key)
      expect([answer.status, answer.headers['set-cookie'], answer.headers['location']]).toEqual([
        403,
        undefined,
        undefined,
      ])
      expect(answer.body).toContain('Only the user who runs Bridge Inspector')
    }
    expect([tried, letIn]).toEqual([[4_711], []])
    who = process.getuid?.() ?? 0
    expect((await open(host.port, key)).status).toBe(303)
    expect(letIn).toEqual([1])
    // Nor do they cause a fresh one to be printed, which would invalidate the one before.
    who = 4_711
    expect((await open(host.port, key)).status).toBe(403)
    expect(fresh).toEqual([])
    await host.close()
  })

  const asRoot = process.platform === 'linux' && process.getuid?.() === 0
  it.runIf(asRoot)('shown with a real second user', async () => {
    const host = await start({})
    const ask = `fetch(${JSON.stringify(host.url)}, { redirect: 'manual' }).then(({ status }) => console.log(status))`
    const { stdout } = await run(process.execPath, ['-e', ask], { uid: 65_534, gid: 65_534, cwd: '/', env: {} })
    expect(stdout.trim()).toBe('403')
    expect((await open(host.port, loginKeyOf(host.url))).status).toBe(303)
    await host.close()
  })
})
