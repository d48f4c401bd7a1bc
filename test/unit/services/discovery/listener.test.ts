import net, { type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { parseSocketTable } from '../../../../electron/system/socket-table.ts'
import { parsePortListener, findPortListener } from '../../../../electron/services/discovery/port-listener.ts'

const TABLE_HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const buildTableRow = (address: string, port: number, uid: number, state = '0A'): string =>
  `   0: ${address}:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 ${uid} 0 650 1 0 100 0 0 10 0`
const PASSWD = 'root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n'
const parseRows = (...rows: string[]) =>
  parsePortListener(parseSocketTable([TABLE_HEAD, ...rows].join('\n')), 42_340, 1000, PASSWD)

const LOOPBACK = '0100007F'
const ANY_IPV6 = '0'.repeat(32)
const MAPPED_LOOPBACK = '0000000000000000FFFF00000100007F'

test.each([LOOPBACK, '00000000', ANY_IPV6, MAPPED_LOOPBACK])(
  'safety 48: detects every listener on loopback (%s)',
  (address) => {
    expect(parseRows(buildTableRow(address, 42_340, 1000))).toEqual({ user: 'same', name: 'ann' })
    expect(parseRows(buildTableRow(address, 42_340, 1001))).toEqual({ user: 'other', name: 'bob' })
    expect(parseRows(buildTableRow(address, 42_340, 0))).toEqual({ user: 'other', name: 'root' })
    expect(parseRows(buildTableRow(address, 42_340, 7))).toEqual({ user: 'other', name: 'uid 7' })
  },
)

test('safety 48: reports another user if one of several listeners is foreign', () => {
  expect(parseRows(buildTableRow(LOOPBACK, 42_340, 1000), buildTableRow('00000000', 42_340, 1001)).user).toBe('other')
  expect(parseRows(buildTableRow(ANY_IPV6, 42_340, 1001), buildTableRow(LOOPBACK, 42_340, 1000)).user).toBe('other')
})

test('safety 48: ignores other ports, other addresses and connections', () => {
  const unknown = { user: 'unknown', name: null }
  expect(parseRows()).toEqual(unknown)
  expect(parseRows(buildTableRow(LOOPBACK, 42_341, 1000))).toEqual(unknown)
  expect(parseRows(buildTableRow(LOOPBACK, 42_340, 1000, '01'))).toEqual(unknown)
  expect(parseRows(buildTableRow('0200A8C0', 42_340, 1000))).toEqual(unknown)
  expect(parseRows(buildTableRow(LOOPBACK, 42_340, 65_534))).toEqual(unknown)
  expect(parseRows('   0: garbage', buildTableRow(LOOPBACK, 42_340, 1000).slice(0, 40))).toEqual(unknown)
})

test.skipIf(process.platform !== 'linux')('safety 48: distinguishes our own real listener from others', async () => {
  for (const address of ['127.0.0.1', '0.0.0.0', '::']) {
    const server = net.createServer().listen(0, address)
    onTestFinished(() => void server.close())
    const problem = await new Promise<Error | null>((resolve) => {
      server.once('listening', () => resolve(null))
      server.once('error', resolve)
    })
    // This machine may have no IPv6.
    if (problem && address === '::') continue
    const { port } = server.address() as AddressInfo
    expect(findPortListener(port).user).toBe('same')
    expect(findPortListener(port, 54_321).user).toBe('other')
    expect(findPortListener(port, null)).toEqual({ user: 'unknown', name: null })
  }
})
