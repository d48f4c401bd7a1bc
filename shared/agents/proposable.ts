import type { Endpoint } from '../bridge/endpoint.ts'
import { isPlainSegment } from '../bridge/relative-path.ts'
import { refused } from '../errors.ts'

type Row = Pick<Endpoint, 'id' | 'access' | 'secret' | 'pairs' | 'upload'>

/**
 * Whether an agent may propose this write: neither what hands out a token nor what takes a file, nor the host's own channel for agents, which
 * could call whatever this leaves out.
 */
export const isProposable = ({ id, access, secret, pairs, upload }: Row): boolean =>
  access !== 'read' && !secret && !pairs && !upload && id !== 'mcp.post'

/** Throws `PARAM_SEGMENT` for an id of an agent's path that a panel could not send either, such as `../../pair`. */
export function assertPlainSegments(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (value === '' || isPlainSegment(value)) continue
    throw refused(
      'PARAM_SEGMENT',
      `The parameter "${name}" must be one segment of a path, without dots alone, slashes or backslashes, also when it is decoded. Nothing was sent.`,
      { name },
    )
  }
}
