import { endpoints, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'

/** Ids of every endpoint that changes something; giving a token away has its own place, and files are not sent from here. */
export const writeIds: readonly EndpointId[] = endpoints
  .filter(({ access, secret, upload }) => access !== 'read' && !secret && !upload)
  .map(({ id }) => id)
