export type RecordAction = 'look' | 'stop' | 'resume' | 'readBack'
