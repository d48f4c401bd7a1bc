import {
  serveMethods,
  type WorkerMethods,
  type WorkerReply,
  type WorkerRequest,
} from '../../shared/workers/worker-methods.ts'

export function servePage(methods: WorkerMethods): void {
  const receive = serveMethods(methods, (reply, transfer) => {
    postMessage(reply, { transfer: [...transfer] as Transferable[] })
  })
  onmessage = ({ data }: MessageEvent<WorkerRequest>) => receive(data)
}

/** Sends what no call has asked for. */
export function notifyPage(topic: string, payload: unknown): void {
  postMessage({ topic, payload } satisfies WorkerReply)
}
