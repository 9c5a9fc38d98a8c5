/**
 * Runs named tests with each deliberate fault of `src/engine/mutants.rs` in turn: every test must
 * pass without, and fail with it. A fault that no test notices fails the run.
 */

import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { CommandFailed, main, ROOT } from './run.mjs';

const FAILING = 'store::disk::tests::failing_calls::';
const CRASHES = 'store::disk::tests::crashes::';
const ELSEWHERE = 'retention::elsewhere_tests::';
const AFTER_A_FAILED_SYNC = `${FAILING}what_is_acknowledged_after_a_failed_sync_survives_a_power_cut`;
const ANSWERED_TRUTHFULLY = `${FAILING}an_operation_that_fails_once_loses_nothing_and_is_answered_truthfully`;

/** The tests that notice each fault; all that are named must. */
const KILLED_BY = {
  JournalNotSynced: [`${CRASHES}a_crash_within_a_batch_leaves_its_transactions_whole_and_in_order`],
  TruncateInPlace: [`${FAILING}a_write_that_fails_midway_leaves_every_record_whole`],
  ResyncAfterBadFrame: ['engine::journal::tests::frames_read_back_in_order_and_stop_at_a_gap'],
  RetryFailedSync: [AFTER_A_FAILED_SYNC],
  IgnoreShortWrite: [AFTER_A_FAILED_SYNC],
  LockSkipped: ['engine::tests::nobody_writes_while_another_process_is_at_it'],
  ChecksumWithoutSeq: [
    'engine::journal::frame::tests::a_frame_with_any_bit_wrong_or_any_byte_missing_is_none',
  ],
  ApplyBeforeDurable: [ANSWERED_TRUTHFULLY],
  ApplyUnsynced: [`${CRASHES}a_power_cut_takes_whole_relaxed_steps_from_the_end_and_nothing_else`],
  CheckpointUnsynced: ['engine::tests::a_checkpoint_syncs_the_journal_before_the_tree'],
  CatchUpUnsynced: ['engine::tests::what_a_dead_process_answered_is_synced_before_it_is_applied'],
  RecoveryWins: ['engine::settle::tests::recovery_never_wins_over_what_another_program_wrote'],
  ForgetLastFrame: [`${CRASHES}a_crash_within_a_batch_leaves_its_transactions_whole_and_in_order`],
  AnswerBeforeCommit: [ANSWERED_TRUTHFULLY],
  KeepTemporaryMode: ['engine::disk::real::tests::files_and_folders_are_private'],
  TreeByName: ['engine::files::tests::a_batch_ends_in_the_folder_that_it_began_in'],
  WindowsByName: [
    'engine::opened::tests::a_file_that_is_removed_or_replaced_between_two_reads_is_read_whole',
  ],
  UnappliedSealUnfinished: [
    'retention::sealing::a_restoration_comes_after_the_transaction_that_seals_its_bundle',
  ],
  EvictedRangeEmpty: ['store::disk::tests::ranges::no_message_of_an_evicted_session_is_there'],
  BeforeNotLookedFor: ['store::disk::tests::ranges::both_ends_of_a_range_must_be_there'],
  HandoffOverwritesStatus: [
    'handoff::tests::a_status_that_was_set_meanwhile_stays_and_the_handoff_is_undone',
  ],
  HandoffBeyondLastVersion: [
    'handoff::tests::a_version_that_cannot_be_counted_on_from_is_refused_before_the_lock',
  ],
  RecoveryNotIdempotent: [`${FAILING}a_fault_that_lasts_loses_nothing_and_is_over_when_it_is_over`],
  SweepTakesHeldBundles: [
    'retention::tests::what_its_writer_left_is_removed_beside_the_records_alone',
  ],
  CompareLogLengths: ['retention::tests::a_log_of_the_same_length_is_another_once_it_was_changed'],
  SweepNotLookedAtAgain: ['retention::tests::what_was_used_since_a_sweep_decided_is_not_archived'],
  SealUnread: ['retention::tests::a_bundle_that_could_not_be_restored_is_not_sealed'],
  LengthAskedAgain: [
    'engine::opened::tests::a_file_that_is_removed_or_replaced_between_two_reads_is_read_whole',
  ],
  EngineOfEachCall: [
    'engine::registry::tests::a_root_has_one_engine_before_and_after_it_is_made',
    'engine::registry::tests::a_root_behind_a_link_has_one_engine_before_it_is_made',
  ],
  AgesUnchecked: ['store::disk::tests::streams::a_list_goes_by_the_records_as_they_are_now'],
  IdleCheckpointOnce: [
    'engine::idle::tests::a_checkpoint_that_fails_is_tried_again_and_the_watch_goes_on',
  ],
  QuotaIsNoFullDisk: [
    'engine::journal::tests::on_a_full_disk_or_quota_no_more_room_is_taken_than_needed',
  ],
  RestoreAnyBundle: [`${ELSEWHERE}messages_come_back_from_the_bundle_that_their_eviction_names`],
  BundleOfAnother: [`${ELSEWHERE}messages_of_another_session_are_not_put_back`],
  MarkUnchecked: [`${ELSEWHERE}an_edge_that_was_changed_since_it_was_read_is_not_marked`],
  WayBackLost: [`${ELSEWHERE}the_edge_that_leads_to_evicted_messages_stays`],
  MemoryLogUncounted: ['retention::tests::a_log_of_the_same_length_is_another_once_it_was_changed'],
  MissingBundlePasses: [`${ELSEWHERE}an_evicted_session_whose_bundle_is_gone_is_found`],
  HitlIsASubsession: [
    'handoff::assignment::tests::what_a_session_does_says_why_it_cannot_be_handed_over',
  ],
};

/** What a test program answers when it ran and a test failed. */
const TEST_FAILED = 101;

/** Builds the crate's own tests; answers the program. */
function built() {
  const args = ['test', '--lib', '--no-run', '--message-format=json'];
  const cargo = spawnSync('cargo', args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (cargo.status !== 0) throw new CommandFailed('the tests do not build');
  const messages = cargo.stdout.split('\n').filter((line) => line.startsWith('{'));
  const programs = messages.map((line) => JSON.parse(line).executable).filter(Boolean);
  if (programs.length !== 1)
    throw new CommandFailed(`one test program is expected, not ${programs}`);
  return programs[0];
}

function test(program, mutant, args) {
  return spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, NAMZU_MUTANT: mutant, RUST_BACKTRACE: '0' },
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
}

/** Whether the test ran and passed, ran and failed, or did neither. */
function verdict(program, mutant, name) {
  const { status, stdout } = test(program, mutant, ['--exact', name]);
  if (status === 0 && stdout.includes(`test ${name} ... ok`)) return 'passed';
  if (status === TEST_FAILED && stdout.includes(`test ${name} ... FAILED`)) return 'failed';
  return `ended with ${status}`;
}

export function mutants() {
  const program = built();
  const listing = test(program, '', [
    '--nocapture',
    '--exact',
    'engine::mutants::the_mutants_have_names',
  ]);
  const listed = /mutants: (.*)/.exec(listing.stdout)?.[1].split(' ') ?? [];
  const unnamed = listed.filter((name) => !(name in KILLED_BY));
  const unknown = Object.keys(KILLED_BY).filter((name) => !listed.includes(name));
  if (listed.length === 0 || unnamed.length + unknown.length > 0) {
    throw new CommandFailed(`mutants without tests: ${unnamed}; tests without mutants: ${unknown}`);
  }

  const wrong = [];
  for (const name of new Set(Object.values(KILLED_BY).flat())) {
    const found = verdict(program, '', name);
    if (found !== 'passed') wrong.push(`${name}, without a mutant: ${found}`);
  }
  let killed = 0;
  const width = Math.max(...listed.map((name) => name.length));
  for (const mutant of listed) {
    const verdicts = KILLED_BY[mutant].map((name) => [name, verdict(program, mutant, name)]);
    const survived = verdicts.filter(([, found]) => found !== 'failed');
    if (survived.length === 0) killed += 1;
    for (const [name, found] of survived) wrong.push(`${name}, with ${mutant}: ${found}`);
    const by = verdicts.map(([name]) => name).join(', ');
    console.log(
      `${mutant.padEnd(width)}  ${survived.length === 0 ? 'killed by ' : 'SURVIVED '} ${by}`,
    );
  }
  console.log(`mutants: ${killed} killed, ${listed.length - killed} survived, of ${listed.length}`);
  if (wrong.length > 0) throw new CommandFailed(wrong.join('\n'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(mutants);
