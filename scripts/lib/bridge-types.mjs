// Writes the routes of the contract into the type declarations for panels (resources/bridge.d.ts).
import path from 'node:path'
import prettier from 'prettier'
import { createContractBundle } from '../../shared/contract/contract-schemas.ts'
import { writeTypeDeclarations } from '../../electron/core/contract/type-declarations-writer.ts'
import { root } from './paths.mjs'

export const bridgeTypesPath = path.join(root, 'resources', 'bridge.d.ts')

/**
 * Returns the text of the declarations with the routes of the contract.
 * @param source the present text, of which everything but `Routes` is kept
 */
export async function createBridgeTypes(source) {
  const text = writeTypeDeclarations(createContractBundle(), source)
  return prettier.format(text, { ...(await prettier.resolveConfig(bridgeTypesPath)), filepath: bridgeTypesPath })
}
