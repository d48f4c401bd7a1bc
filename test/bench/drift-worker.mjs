// The recorder's thread as it is, but without judging exchanges by the contract.
import { ContractJudge } from '../../electron/services/contract/contract-judge.ts'

ContractJudge.prototype.judgeNew = () => false
await import('../../electron/services/traffic/thread/worker.ts')
