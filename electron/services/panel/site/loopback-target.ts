import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { SocketTarget } from '../call/types.ts'

const isLoopback = (address: string): boolean =>
  /^127(?:\.\d{1,3}){3}$/.test(address) || address === '::1' || /^::ffff:127\./i.test(address)

/**
 * Where a development server's address leads: an address of this machine, as a literal or as
 * `localhost` where that means this machine. Throws `PANEL_NOT_LOOPBACK` for anything else, and for
 * everything but plain HTTP.
 */
export async function resolveLoopbackTarget(url: string): Promise<SocketTarget> {
  const { protocol, hostname, port, host, username, password } = new URL(url)
  const name = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'http:' || username !== '' || password !== '') throw notLoopback(url)
  const at = (address: string): SocketTarget => ({ address, port: Number(port || 80), hostHeader: host })
  if (net.isIP(name)) {
    if (!isLoopback(name)) throw notLoopback(url)
    return at(name)
  }
  if (!/^(?:[\w-]+\.)*localhost$/i.test(name)) throw notLoopback(url)
  const found = await lookup(name, { all: true }).catch(() => [{ address: '127.0.0.1' }])
  if (found.length === 0 || !found.every(({ address }) => isLoopback(address))) throw notLoopback(url)
  return at(
    await answering(
      found.map(({ address }) => address),
      Number(port || 80),
    ),
  )
}

/**
 * Development servers listen on one of the two families; the one that takes a connection is meant.
 */
async function answering(addresses: readonly string[], port: number): Promise<string> {
  for (const address of addresses) {
    const answers = await new Promise<boolean>((resolve) => {
      const socket = net.connect({ host: address, port, timeout: 2_000 })
      const end = (is: boolean) => (): void => {
        socket.destroy()
        resolve(is)
      }
      socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
    })
    if (answers) return address
  }
  return addresses[0] ?? '127.0.0.1'
}

const notLoopback = (url: string) =>
  createRefusedError(
    'PANEL_NOT_LOOPBACK',
    'A development server must be on this machine: http://localhost:PORT or http://127.0.0.1:PORT.',
    {
      url: url.slice(0, 200),
    },
  )
