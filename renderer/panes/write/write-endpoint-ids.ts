import { endpoints, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'

/** Ids of every endpoint that changes something; giving a token away has its own place, and files are not sent from here. */
export const writeEndpointIds: readonly EndpointId[] = endpoints
  .filter(({ access, returnsSecret: secret, isUpload: upload }) => access !== 'read' && !secret && !upload)
  .map(({ id }) => id)
