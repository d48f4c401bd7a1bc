/** What a person can do with a record. */
export type RecordAction = 'look' | 'stop' | 'resume' | 'readBack'
