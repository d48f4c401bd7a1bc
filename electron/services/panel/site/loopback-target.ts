import { lookup } from 'node:dns/promises'
import net from 'node:net'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { SocketTarget } from '../call/types.ts'

const isLoopback = (address: string): boolean =>
  /^127(?:\.\d{1,3}){3}$/.test(address) || address === '::1' || /^::ffff:127\./i.test(address)

/**
 * Resolves the address of a development server, which must be on this machine: a loopback address,
 * or `localhost` if the system resolves that name to this machine.
 * @throws PANEL_NOT_LOOPBACK for anything else, and for everything but plain HTTP.
 */
export async function resolveLoopbackTarget(url: string): Promise<SocketTarget> {
  const { protocol, hostname, port, host, username, password } = new URL(url)
  const name = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'http:' || username !== '' || password !== '') throw createNotLoopbackError(url)
  const toTarget = (address: string): SocketTarget => ({ address, port: Number(port || 80), hostHeader: host })
  if (net.isIP(name)) {
    if (!isLoopback(name)) throw createNotLoopbackError(url)
    return toTarget(name)
  }
  if (!/^(?:[\w-]+\.)*localhost$/i.test(name)) throw createNotLoopbackError(url)
  const addresses = await lookup(name, { all: true }).catch(() => [{ address: '127.0.0.1' }])
  if (addresses.length === 0 || !addresses.every(({ address }) => isLoopback(address)))
    throw createNotLoopbackError(url)
  return toTarget(
    await findReachableAddress(
      addresses.map(({ address }) => address),
      Number(port || 80),
    ),
  )
}

/**
 * Development servers listen on one of the two address families, so the result is the first address
 * that accepts a connection.
 */
async function findReachableAddress(addresses: readonly string[], port: number): Promise<string> {
  for (const address of addresses) {
    const isReachable = await new Promise<boolean>((resolve) => {
      const socket = net.connect({ host: address, port, timeout: 2_000 })
      const end = (isOpen: boolean) => (): void => {
        socket.destroy()
        resolve(isOpen)
      }
      socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
    })
    if (isReachable) return address
  }
  return addresses[0] ?? '127.0.0.1'
}

const createNotLoopbackError = (url: string) =>
  createRefusedError(
    'PANEL_NOT_LOOPBACK',
    'A development server must be on this machine: http://localhost:PORT or http://127.0.0.1:PORT.',
    {
      url: url.slice(0, 200),
    },
  )
