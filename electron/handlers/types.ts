import type { Input, MethodName, Output } from '../../shared/ipc/index.ts'

/** What a handler knows about its call besides the input. */
export interface CallContext {
  /** Aborted when the page cancels the call or goes away. */
  readonly signal: AbortSignal
  readonly caller: string
}

export type Handlers = {
  readonly [M in MethodName]: (input: Input<M>, context: CallContext) => Promise<Output<M>> | Output<M>
}
