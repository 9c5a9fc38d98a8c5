//! Holds both stores to the contract: each case of `conformance/` is one test a store.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails where an answer is missing"
)]

mod conformance;
mod support;

/// Declares every case once for the memory store and once for the disk store.
macro_rules! cases {
    ($($subject:ident { $($case:ident,)+ })+) => {
        mod memory_store {
            $(mod $subject { $(
                #[test]
                fn $case() {
                    crate::conformance::$subject::$case(&namzu_native::store::MemoryStore::new());
                }
            )+ })+
        }

        mod disk_store {
            $(mod $subject { $(
                #[test]
                fn $case() {
                    let root = crate::support::root::Root::absent();
                    crate::conformance::$subject::$case(&root.store());
                }
            )+ })+
        }
    };
}

cases! {
    projects {
        a_new_project_has_the_default_limits,
        a_project_reads_back_as_it_was_answered,
        a_name_is_kept_whatever_is_in_it,
        one_name_may_be_given_twice,
        an_unknown_project_is_nothing,
        a_project_of_another_tenant_is_refused,
        a_project_is_created_by_its_own_tenant_alone,
    }
    sessions {
        a_new_session_is_idle_and_nobody_was_there_before,
        a_session_needs_its_project,
        an_unknown_session_is_nothing,
        an_update_replaces_every_field_and_stamps_the_time,
        every_status_can_be_stored,
        an_update_leaves_its_neighbours_alone,
        a_session_that_changes_its_project_is_still_found,
        an_update_needs_the_session,
        an_update_never_gives_a_session_away,
        an_expected_version_is_compared_with_the_stored_one,
        of_racing_updates_at_one_version_exactly_one_wins,
        a_payload_is_the_callers_own,
    }
    sub_sessions {
        a_new_edge_is_pending_with_the_default_modes,
        kinds_modes_and_actors_are_taken_as_given,
        an_edge_needs_both_of_its_sessions,
        an_edge_may_join_sessions_of_two_projects,
        an_unknown_edge_is_nothing,
        an_update_keeps_every_field_of_the_payload,
        an_optional_field_that_is_absent_is_cleared,
        every_status_can_be_stored,
        an_update_leaves_sessions_and_siblings_alone,
    }
    deletion {
        deleting_what_is_missing_does_nothing,
        a_deleted_session_takes_its_messages_and_summary_along,
        an_edge_blocks_the_deletion_of_both_its_sessions,
        an_archived_edge_blocks_as_any_other,
        the_last_of_several_edges_still_blocks,
        a_deleted_edge_leaves_both_its_sessions,
        an_edge_survives_the_session_it_was_filed_under,
        edges_of_another_tenant_block_too,
        a_session_is_never_deleted_from_under_a_racing_edge,
    }
    messages {
        messages_come_back_verbatim_and_in_order,
        an_envelope_says_whose_message_it_is_and_when_it_came,
        a_session_without_messages_has_an_empty_log,
        a_message_needs_its_session,
        logs_of_two_sessions_do_not_mix,
        a_log_outlives_updates_and_a_summary,
        messages_of_one_millisecond_keep_their_order,
        a_message_of_16_mib_comes_back_whole,
        of_concurrent_appends_none_is_lost,
    }
    linkage {
        children_are_ordered_by_when_they_were_spawned,
        children_of_one_instant_are_in_the_order_of_their_creation,
        children_are_of_one_level,
        an_unknown_session_has_no_children,
        changed_ends_change_the_linkage,
        moved_edges_are_ordered_among_those_that_were_there,
        a_view_is_the_session_its_children_and_its_ancestry,
        a_view_is_of_one_instant,
        edges_of_another_tenant_are_left_out,
    }
    ancestry {
        it_leads_from_the_root_to_the_session,
        an_unknown_session_has_none,
        the_edge_spawned_earliest_makes_the_parent,
        the_smallest_id_makes_the_parent_among_edges_of_one_instant,
        a_session_that_is_its_own_parent_is_a_cycle,
        a_cycle_is_told_from_self_upward,
        a_cycle_is_met_from_below_it,
        a_cycle_that_is_no_ancestry_does_no_harm,
        a_cycle_can_be_made_and_opened_by_an_update,
    }
    summaries {
        a_summary_reads_back_as_it_was_recorded,
        what_has_no_summary_answers_none,
        recording_ends_what_the_session_was_doing,
        the_same_summary_again_replays_the_status_change_only,
        another_summary_of_the_session_is_refused,
        two_sessions_may_share_a_summary_id,
        a_summary_needs_its_session,
        a_summary_is_recorded_by_its_own_tenant_alone,
        a_summary_of_another_tenants_session_is_refused_recorded_or_not,
        of_racing_summaries_exactly_one_is_recorded,
    }
    tenancy {
        every_method_refuses_another_tenants_record,
        a_refusal_changes_nothing,
        an_edge_needs_both_ends_to_be_ones_own,
        tenants_work_side_by_side,
        an_actor_may_be_of_another_tenant,
    }
    ids {
        a_read_with_a_malformed_session_id_finds_nothing,
        a_read_with_a_malformed_project_or_edge_id_finds_nothing,
        an_id_of_another_kind_finds_nothing,
        a_delete_with_a_malformed_id_does_nothing,
        a_write_with_a_malformed_id_is_refused,
        the_longest_well_formed_id_is_merely_unknown,
        an_opaque_id_is_any_text,
    }
}
