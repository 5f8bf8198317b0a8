/**
 * From here on, every write is in the history: programs of schema 8 and older, which record nothing, may not run any
 * more. Applied while none of them is connected; one that has been idle is refused its next write by this constraint.
 * It knows a program by its `application_name`, which says its schema from version 10 on.
 */
export const version = 10
export const name = "HistoryOnly"
export const oldestProgram = 9
export const statements: ReadonlyArray<string> = [
  "alter table accounts drop constraint if exists accounts_recording_program",
  `alter table accounts add constraint accounts_recording_program check (
    current_setting('application_name') not like 'lists-and-things %'
    or current_setting('application_name') like 'lists-and-things % schema %') not valid`
]
