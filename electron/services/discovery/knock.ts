import net from 'node:net'

/**
 * Whether anything accepts connections at `127.0.0.1:port`. Nothing is sent. False too once `signal` is aborted: until then a port that neither
 * accepts nor refuses has time.
 */
export function accepts(port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, signal })
    const end = (accepted: boolean): void => {
      socket.destroy()
      resolve(accepted)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
