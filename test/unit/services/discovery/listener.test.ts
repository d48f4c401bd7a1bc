import net, { type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { parseSocketTable } from '../../../../electron/system/socket-table.ts'
import { parsePortListener, findPortListener } from '../../../../electron/services/discovery/port-listener.ts'

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const row = (address: string, port: number, uid: number, state = '0A'): string =>
  `   0: ${address}:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000 ${uid} 0 650 1 0 100 0 0 10 0`
const passwd = 'root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n'
const seen = (...rows: string[]) =>
  parsePortListener(parseSocketTable([head, ...rows].join('\n')), 42_340, 1000, passwd)

const loopback = '0100007F'
const everyV6 = '0'.repeat(32)
const mapped = '0000000000000000FFFF00000100007F'

test.each([loopback, '00000000', everyV6, mapped])(
  'safety 48: every listener on loopback is detected (%s)',
  (address) => {
    expect(seen(row(address, 42_340, 1000))).toEqual({ user: 'same', name: 'ann' })
    expect(seen(row(address, 42_340, 1001))).toEqual({ user: 'other', name: 'bob' })
    expect(seen(row(address, 42_340, 0))).toEqual({ user: 'other', name: 'root' })
    expect(seen(row(address, 42_340, 7))).toEqual({ user: 'other', name: 'uid 7' })
  },
)

test('safety 48: a single stranger among several is one too many', () => {
  expect(seen(row(loopback, 42_340, 1000), row('00000000', 42_340, 1001)).user).toBe('other')
  expect(seen(row(everyV6, 42_340, 1001), row(loopback, 42_340, 1000)).user).toBe('other')
})

test('safety 48: other ports, other addresses and connections say nothing', () => {
  const unknown = { user: 'unknown', name: null }
  expect(seen()).toEqual(unknown)
  expect(seen(row(loopback, 42_341, 1000))).toEqual(unknown)
  expect(seen(row(loopback, 42_340, 1000, '01'))).toEqual(unknown)
  expect(seen(row('0200A8C0', 42_340, 1000))).toEqual(unknown)
  expect(seen(row(loopback, 42_340, 65_534))).toEqual(unknown)
  expect(seen('   0: garbage', row(loopback, 42_340, 1000).slice(0, 40))).toEqual(unknown)
})

test.skipIf(process.platform !== 'linux')(
  'safety 48: a real listener of ours is distinguished from others',
  async () => {
    for (const address of ['127.0.0.1', '0.0.0.0', '::']) {
      const server = net.createServer().listen(0, address)
      onTestFinished(() => void server.close())
      const problem = await new Promise<Error | null>((resolve) => {
        server.once('listening', () => resolve(null))
        server.once('error', resolve)
      })
      // There may be no IPv6 here.
      if (problem && address === '::') continue
      const { port } = server.address() as AddressInfo
      expect(findPortListener(port).user).toBe('same')
      expect(findPortListener(port, 54_321).user).toBe('other')
      expect(findPortListener(port, null)).toEqual({ user: 'unknown', name: null })
    }
  },
)
