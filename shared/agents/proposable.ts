import type { Endpoint } from '../bridge/endpoint.ts'

type Row = Pick<Endpoint, 'id' | 'access' | 'secret' | 'pairs' | 'upload'>

/**
 * Whether an agent may propose this write: neither what hands out a token nor what takes a file, nor the host's own channel for agents, which
 * could call whatever this leaves out.
 */
export const isProposable = ({ id, access, secret, pairs, upload }: Row): boolean =>
  access !== 'read' && !secret && !pairs && !upload && id !== 'mcp.post'
