/**
 * The address is dotted IPv4 (also for IPv4 addresses in IPv6), otherwise 32 hexadecimal digits.
 */
interface SocketEnd {
  readonly address: string
  readonly port: number
}

export interface SocketRow {
  readonly local: SocketEnd
  readonly remote: SocketEnd
  readonly isListening: boolean
  /** The creator; null if no process has the socket open, when the kernel reports 0 as for root. */
  readonly uid: number | null
}

const LISTENING_STATE = '0A'

/** Parses Linux's `/proc/net/tcp` and `tcp6`, whose addresses are in the machine's byte order. */
export function parseSocketTable(text: string, littleEndian = true): SocketRow[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', remote = '', state = '', , , , uid = '', , inode = ''] = line.trim().split(/\s+/)
    const ends = [parseEnd(local, littleEndian), parseEnd(remote, littleEndian)] as const
    if (!ends[0] || !ends[1] || !/^\d+$/.test(uid) || !/^\d+$/.test(inode)) return []
    return [
      {
        local: ends[0],
        remote: ends[1],
        isListening: state === LISTENING_STATE,
        uid: inode === '0' ? null : Number(uid),
      },
    ]
  })
}

function parseEnd(text: string, isLittleEndian: boolean): SocketEnd | null {
  const match = /^((?:[0-9A-F]{8}){1,4}):([0-9A-F]{4})$/.exec(text)
  if (!match) return null
  const words = (match[1] ?? '').match(/.{8}/g) ?? []
  const hex = words.map((word) => (isLittleEndian ? reverseBytes(word) : word)).join('')
  return { address: parseAddress(hex.toLowerCase()), port: Number.parseInt(match[2] ?? '', 16) }
}

const reverseBytes = (word: string): string => (word.match(/../g) ?? []).reverse().join('')

function parseAddress(hex: string): string {
  const v4 = hex.length === 8 ? hex : /^0{20}ffff(.{8})$/.exec(hex)?.[1]
  if (v4 === undefined) return hex
  return (v4.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.')
}
