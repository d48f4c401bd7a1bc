import { execFile } from 'node:child_process'
import net, { type AddressInfo, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { findPeer, canUseKey, readSocketTable } from '../../../electron/browser-host/peer.ts'
import { parseSocketTable } from '../../../electron/system/socket-table.ts'
import { createFakeDispatcher, loginKeyOf, respondNotFound } from '../../support/browser/browser-host-session.ts'
import { startBrowserHost, type BrowserHostOptions } from '../../../electron/browser-host/index.ts'
import { sendRawRequest, buildRequestText } from '../../support/browser/raw-http.ts'

const runFile = promisify(execFile)
const TABLE_HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const buildTableRow = (local: string, remote: string, state: string, uid: number, inode: number): string =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 000000 100 0 0 10 0`
const LOOPBACK_IPV6 = '0000000000000000FFFF00000100007F'
const LISTENER_ROW = buildTableRow('0100007F:1F90', '00000000:0000', '0A', 1000, 11)
/** The connection that the tests look up: 127.0.0.1:40000 talks to our port 8080. */
const connection = { localPort: 8080, remotePort: 40_000, remoteAddress: '127.0.0.1' }
const findPeerIn = (...rows: string[]) => findPeer(connection, parseSocketTable([TABLE_HEAD, ...rows].join('\n')))

describe('owner of a connection', () => {
  it('safety 25: is read from the row of the other end', () => {
    const ownRow = buildTableRow('0100007F:1F90', '0100007F:9C40', '01', 1000, 12)
    expect(findPeerIn(LISTENER_ROW, ownRow, buildTableRow('0100007F:9C40', '0100007F:1F90', '01', 1001, 13))).toBe(1001)
    expect(findPeerIn(LISTENER_ROW, ownRow, buildTableRow('0100007F:9C41', '0100007F:1F90', '01', 1001, 13))).toBe(
      'gone',
    )
    expect(findPeerIn(LISTENER_ROW, ownRow, buildTableRow('0200007F:9C40', '0100007F:1F90', '01', 1001, 13))).toBe(
      'gone',
    )
    expect(findPeerIn(LISTENER_ROW, ownRow, buildTableRow('0100007F:9C40', '0100007F:1F91', '01', 1001, 13))).toBe(
      'gone',
    )
  })

  it('safety 25: is read from an IPv6 socket', () => {
    expect(
      findPeerIn(LISTENER_ROW, buildTableRow(`${LOOPBACK_IPV6}:9C40`, `${LOOPBACK_IPV6}:1F90`, '01', 1001, 13)),
    ).toBe(1001)
  })

  it('safety 25: is not root for an abandoned end', () => {
    expect(findPeerIn(LISTENER_ROW, buildTableRow('0100007F:9C40', '0100007F:1F90', '05', 0, 0))).toBe('gone')
  })

  it('is unknown without a table, or with a table that does not list our own port', () => {
    expect(findPeer(connection, null)).toBe('unknown')
    expect(findPeerIn()).toBe('unknown')
    expect(findPeerIn(buildTableRow('0100007F:9C40', '0100007F:1F90', '01', 1001, 13))).toBe('unknown')
  })

  it('is read in both byte orders, and malformed lines are skipped', () => {
    const malformedLines = [
      '',
      'x',
      buildTableRow('0100007F', '0100007F:1F90', '01', 1, 1),
      buildTableRow('Z:1', '0:2', '01', 1, 1),
      '1: 0:0 0:0 01',
    ]
    expect(parseSocketTable([TABLE_HEAD, ...malformedLines].join('\n'))).toEqual([])
    const [bigEndianRow] = parseSocketTable(
      buildTableRow('7F000001:9C40', `${'0'.repeat(31)}1:1F90`, '0A', 7, 9),
      false,
    )
    expect(bigEndianRow).toEqual({
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
    ['a connection that is gone', 'gone', 1000, {}, false],
    ['an unknown user', 'unknown', 1000, {}, true],
    ['a system without users', 'unknown', undefined, {}, true],
    ['another user than root', 1000, 0, {}, false],
    ['the user who started us with sudo', 1000, 0, { SUDO_UID: '1000' }, true],
    ['another user than the one who started us with sudo', 1001, 0, { SUDO_UID: '1000' }, false],
    ['a user named by a variable that is not from sudo', 1001, 1000, { SUDO_UID: '1001' }, false],
  ] as const)('safety 25: decides about %s', (_name, peerUid, ownUid, env, isAllowed) => {
    expect(canUseKey(peerUid, ownUid, env)).toBe(isAllowed)
  })
})

describe('safety 25: key read by another user of the machine', () => {
  const startHost = (options: Partial<BrowserHostOptions>) =>
    startBrowserHost({
      dispatcher: createFakeDispatcher(),
      contentReader: respondNotFound,
      assets: async () => undefined,
      port: 0,
      ...options,
    })
  const openWithKey = (port: number, key: string) =>
    sendRawRequest(port, buildRequestText('GET', `/?key=${key}`, [`Host: 127.0.0.1:${port}`, 'Accept: text/html']))

  it('admits nobody, is not used up, and is reported once', async () => {
    const [foreignUids, freshLinks, admissions]: [number[], string[], number[]] = [[], [], []]
    let peerUid = 4_711
    const host = await startHost({
      identifyPeer: () => peerUid,
      onForeignUser: (uid) => foreignUids.push(uid),
      onFreshLink: (url) => freshLinks.push(url),
      onAdmission: () => admissions.push(1),
    })
    const key = loginKeyOf(host.url)
    for (let times = 0; times < 3; times += 1) {
      const response = await openWithKey(host.port, key)
      expect([response.status, response.headers['set-cookie'], response.headers['location']]).toEqual([
        403,
        undefined,
        undefined,
      ])
      expect(response.body).toContain('Only the user who runs Bridge Inspector')
    }
    expect([foreignUids, admissions]).toEqual([[4_711], []])
    peerUid = process.getuid?.() ?? 0
    expect((await openWithKey(host.port, key)).status).toBe(303)
    expect(admissions).toEqual([1])
    // A foreign user must not cause a fresh link, because that would invalidate the earlier
    // one.
    peerUid = 4_711
    expect((await openWithKey(host.port, key)).status).toBe(403)
    expect(freshLinks).toEqual([])
    await host.close()
  })

  const asRoot = process.platform === 'linux' && process.getuid?.() === 0
  it.runIf(asRoot)('is refused to a real second user', async () => {
    const host = await startHost({})
    const ask = `fetch(${JSON.stringify(host.url)}, { redirect: 'manual' }).then(({ status }) => console.log(status))`
    const { stdout } = await runFile(process.execPath, ['-e', ask], { uid: 65_534, gid: 65_534, cwd: '/', env: {} })
    expect(stdout.trim()).toBe('403')
    expect((await openWithKey(host.port, loginKeyOf(host.url))).status).toBe(303)
    await host.close()
  })
})
