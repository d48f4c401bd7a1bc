import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { RecordedClients } from '../../../electron/services/client-proxy/recorded-clients.ts'
import { findPeerProcess } from '../../../electron/system/peer-process.ts'

async function startServer(): Promise<{ port: number; accept: () => Promise<Socket> }> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    port: (server.address() as AddressInfo).port,
    async accept() {
      const [socket] = (await once(server, 'connection')) as [Socket]
      onTestFinished(() => void socket.destroy())
      return socket
    },
  }
}

test.skipIf(process.platform !== 'linux')('finds the process at the other end of a connection', async () => {
  const { port, accept } = await startServer()
  const accepted = accept()
  const client = net.connect(port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  const first = await accepted
  expect(findPeerProcess(first, [])).toBe(process.pid)
  expect(findPeerProcess(first, [1, process.pid])).toBe(process.pid)

  const acceptedOther = accept()
  const script = `require('node:net').connect(${port}, '127.0.0.1')`
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  const other = await acceptedOther
  expect(findPeerProcess(other, [process.pid])).toBe(child.pid)
  expect(findPeerProcess({ localPort: port, remotePort: 1 }, [])).toBeNull()
})

test('connections of one process have one load, those of another process have another', () => {
  const processes = new Map<Socket, number | null>()
  const open = (processId: number | null): (() => number | undefined) => {
    const socket = new net.Socket()
    processes.set(socket, processId)
    return () => clients.originOf({ headers: {}, socket } as IncomingMessage, 'key', 'script').load
  }
  const clients = new RecordedClients((socket) => processes.get(socket) ?? null)
  const [first, second, other, otherSecond, unknown] = [open(10), open(10), open(20), open(20), open(null)]
  expect([first(), second(), other(), otherSecond(), first(), unknown(), second()]).toEqual([1, 1, 2, 2, 1, 3, 1])
})
